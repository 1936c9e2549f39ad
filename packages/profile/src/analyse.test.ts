import { cpSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DataDesigner } from '@data-designer/designer';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { testFolder } from '@data-designer/testing/test-folder';

const root = testFolder('analyse');
let artifactPath: string;
let tests = 0;
let model: AnsweringServer;
/** The prompts of summaries that were requested, and whether they are refused. */
let summaries: string[];
let areRefused = false;

const TOKENS = { prompt_tokens: 1_000_000, completion_tokens: 0 };
const toolCall = (name: string) => ({
  id: `call_${name}`,
  type: 'function',
  function: { name, arguments: '{"id":1}' },
});

beforeAll(async () => {
  model = await openAnsweringServer((body, response) => {
    const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] };
    const last = messages.at(-1);
    const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    if (asked.includes('were judged by')) {
      summaries.push(asked);
      if (areRefused) return reply(response, { error: { message: 'no' } }, { status: 400 });
      return reply(response, completion('  They agree.  ', TOKENS));
    }
    const id = Number(/id (\d+)/.exec(asked)?.[1] ?? 0);
    if (body.includes('Grade')) {
      return reply(
        response,
        completion(JSON.stringify({ Tone: { score: (id % 2) + 1, reasoning: ` because ${id} ` } }), TOKENS),
      );
    }
    if (asked.includes('Write') && last?.role === 'user') {
      const tool_calls = [toolCall('look'), ...(id === 0 ? [toolCall('fail')] : [])];
      const message = { role: 'assistant', content: null, tool_calls };
      return reply(response, { choices: [{ message, finish_reason: 'tool_calls' }], usage: TOKENS });
    }
    reply(response, completion(`A text ${'long '.repeat(id)}`, TOKENS));
  });
});
afterAll(() => model[Symbol.dispose]());

/** The dataset of a judge without summaries, of which each test has a copy. */
beforeAll(async () => {
  writeFileSync(join(root, 'seed.jsonl'), `${[0, 1, 2, 3].map((id) => JSON.stringify({ id })).join('\n')}\n`);
  artifactPath = join(root, 'judged');
  await make(judged());
});

beforeEach(() => {
  summaries = [];
  areRefused = false;
  artifactPath = join(root, String(tests++));
  cpSync(join(root, 'judged'), artifactPath, { recursive: true });
});

const look = {
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', properties: { id: { type: 'integer' } } },
  execute: () => 'seen',
};
const tools = [
  {
    name: 'mine',
    providerType: 'local',
    tools: [look, { ...look, name: 'fail', execute: () => Promise.reject(new Error('broken')) }],
  },
];
const models = ['writer', 'reader'].map((alias) => {
  return { alias, model: alias, provider: 'own', skip_health_check: true, pricing: { input: 1, output: 0 } };
});
const seed_config = () => ({ source: { seed_type: 'local', path: join(root, 'seed.jsonl') } });

/** A judge, whose reasons a model summarises. */
const judged = (size = 3, more: object = {}) => ({
  model_configs: models,
  profilers: [{ model_alias: 'reader', summary_score_sample_size: size }],
  seed_config: seed_config(),
  columns: [
    {
      name: 'grade',
      column_type: 'llm-judge',
      model_alias: 'writer',
      prompt: 'Grade id {{ id }}',
      scores: [{ name: 'Tone', description: 'How?', options: { 1: 'bad', 2: 'good' } }],
    },
    { name: 'plain', column_type: 'expression', expr: 'p{{ id }}' },
  ],
  ...more,
});

const designer = (runConfig: object = {}) =>
  new DataDesigner({
    artifactPath,
    providers: { models: [{ name: 'own', endpoint: model.origin }], tools: tools as never },
    runConfig: { seed: 1, ...runConfig },
  });
const make = (document: object, options: object = {}, runConfig: object = {}) =>
  designer(runConfig).create({ document, source: 'test' }, { numRecords: 4, datasetName: 'data', ...options });
const resumed = (document: object, runConfig: object = {}) => make(document, { resume: 'always' }, runConfig);
const folder = () => join(artifactPath, 'data');
const metadata = () =>
  JSON.parse(readFileSync(join(folder(), 'metadata.json'), 'utf8')) as {
    readonly cost: number;
    readonly column_statistics?: readonly { readonly column_name: string }[];
  };

test('the reasons of a judge are summarised once, and what that cost is recorded', { tags: 'long' }, async () => {
  const results = await resumed(judged());
  const { profile } = await results.loadAnalysis();
  const [score] = profile.judges[0]?.scores ?? [];
  expect(score).toMatchObject({ column: 'grade', score: 'Tone', summary: 'They agree.', isSummaryFailed: false });
  expect(summaries).toHaveLength(1);
  expect(summaries[0]).toContain("4 records were judged by 'Tone'. How often each score was given: ");
  expect(summaries[0]).toMatch(/1: 2, 2: 2|2: 2, 1: 2/);
  expect(summaries[0]).toContain('Mean 1.50, from 1 to 2.');
  expect(summaries[0]?.match(/- \(\d\) because \d$/gm)).toHaveLength(3);
  expect(profile.cost).toBe(5);
  expect(profile.usage['reader']?.requests).toBe(1);
  expect(metadata().cost).toBe(5);
  expect(metadata().column_statistics?.map(({ column_name: name }) => name)).toEqual(['id', 'grade', 'plain']);
  expect(profile.columns.find(({ name }) => name === 'grade')).toMatchObject({
    inputTokens: { records: 4 },
    outputTokens: { records: 4 },
  });
  // The next process reads what is stored.
  const again = await (await resumed(judged())).loadAnalysis();
  expect(again.profile.judges).toEqual(profile.judges);
  expect(again.profile.cost).toBe(5);
  expect(summaries).toHaveLength(1);
});

test('a refused summary says why, and the next report asks again', { tags: 'long' }, async () => {
  areRefused = true;
  const results = await resumed(judged());
  const [score] = (await results.loadAnalysis()).profile.judges[0]?.scores ?? [];
  expect(score).toMatchObject({
    isSummaryFailed: true,
    summary: expect.stringMatching(/^There is no summary: /) as string,
  });
  areRefused = false;
  const asked = summaries.length;
  const again = await (await resumed(judged())).loadAnalysis();
  expect(again.profile.judges[0]?.scores[0]).toMatchObject({ summary: 'They agree.', isSummaryFailed: false });
  expect(summaries).toHaveLength(asked + 1);
});

test('no summary is requested beyond the budget', { tags: 'long' }, async () => {
  const results = await resumed(judged(), { maxCost: 4 });
  const { profile } = await results.loadAnalysis();
  expect(profile.judges[0]?.scores[0]).toMatchObject({
    isSummaryFailed: true,
    summary: expect.stringContaining('the budget of 4 is spent, as the answers cost 4.') as string,
  });
  expect(summaries).toEqual([]);
});

test('a preview is profiled with its summaries, and stores nothing', async () => {
  const results = await designer().preview({ document: judged(), source: 'test' }, { numRecords: 2 });
  const { profile } = await results.analysis();
  expect(profile).toMatchObject({ name: 'preview', wanted: 2, cost: 3 });
  expect(profile.judges[0]?.scores[0]?.summary).toBe('They agree.');
  expect(existsSync(join(folder(), 'profile.json'))).toBe(false);
});

test('conversations are counted with their turns and tools', { tags: 'long' }, async () => {
  const document = {
    model_configs: models,
    tool_configs: [{ tool_alias: 'books', providers: ['mine'] }],
    seed_config: seed_config(),
    columns: [
      {
        name: 'text',
        column_type: 'llm-text',
        model_alias: 'writer',
        prompt: 'Write id {{ id }}',
        tool_alias: 'books',
        with_trace: 'all_messages',
      },
    ],
  };
  const { profile } = await (await make(document, { datasetName: 'traced' })).loadAnalysis();
  expect(profile.traces).toHaveLength(1);
  const [trace] = profile.traces;
  expect(trace).toMatchObject({
    column: 'text',
    turns: { min: 2, max: 2, mean: 2 },
    tools: [
      { name: 'look', calls: 4, failed: 0 },
      { name: 'fail', calls: 1, failed: 1 },
    ],
  });
  expect(trace).not.toHaveProperty('ends');
  expect(trace).not.toHaveProperty('toolTurns');
  const text = profile.columns.find(({ name }) => name === 'text');
  expect(text).toMatchObject({ inputTokens: { records: 4 }, outputTokens: { records: 4 } });
  expect(text?.outputTokens).toMatchObject({ median: 3.5, mean: 3.5 });
  const lost = await make(
    { columns: [{ name: 'x', column_type: 'expression', expr: 'a' }] },
    { datasetName: 'plain', numRecords: 1 },
  );
  const plain = (await lost.loadAnalysis()).profile;
  expect([plain.traces, plain.judges]).toEqual([[], []]);
  expect(plain).not.toHaveProperty('selection');
  expect(plain).not.toHaveProperty('attempts');
});

test('a selection shows how it changed the shares of sampled categories', { tags: 'long' }, async () => {
  const document = {
    columns: [
      { name: 'kind', column_type: 'sampler', sampler_type: 'category', params: { values: ['a', 'b'] } },
      { name: 'size', column_type: 'sampler', sampler_type: 'uniform', params: { low: 0, high: 1 } },
      { name: 'both', column_type: 'expression', expr: '{{ kind }}' },
    ],
    select: { balance: { column: 'kind', max_share: 0.5 } },
  };
  const results = await make(document, { numRecords: 6, datasetName: 'selected' });
  const { selection } = (await results.loadAnalysis()).profile;
  expect(selection?.accepted).toBe(6);
  expect(selection?.shares.map(({ column }) => column)).toEqual(['kind']);
  const values = selection?.shares[0]?.values ?? [];
  expect(values.map(({ value }) => value).toSorted((a, b) => a.localeCompare(b))).toEqual(['a', 'b']);
  expect(values.map(({ after }) => after)).toEqual([0.5, 0.5]);
  expect(values.reduce((sum, { before }) => sum + before, 0)).toBeCloseTo(1);
  expect(values[0]?.before).toBeGreaterThanOrEqual(values[1]?.before ?? 1);
  expect(selection).not.toHaveProperty('damage');
  const candidates = join(artifactPath, 'selected', 'candidates', 'parquet-files');
  expect(existsSync(candidates)).toBe(true);
  truncateSync(join(candidates, readdirSync(candidates)[0] ?? ''), 20);
  const damaged = await make(document, { numRecords: 6, datasetName: 'selected', resume: 'always' });
  expect((await damaged.loadAnalysis()).profile.selection?.accepted).toBe(6);
});
