import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, loadDataset } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { modelProvider } from '@data-designer/config';
import { runCommand } from './command-line.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'profile-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const sampled = (name: string, sampler_type: string, params: object) => ({
  name,
  column_type: 'sampler',
  sampler_type,
  params,
});

const LOCAL = {
  columns: [
    sampled('kind', 'category', { values: ['a', 'b'] }),
    sampled('size', 'gaussian', { mean: 0, stddev: 1 }),
    { name: 'said', column_type: 'expression', expr: '{{ kind }} is {{ size }}' },
  ],
};

const JUDGED = {
  model_configs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator' },
    { alias: 'reader', model: 'reading', provider: 'counted', pricing: { input: 1, output: 2 } },
  ],
  tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools'], allow_tools: ['get_fact'] }],
  profilers: [{ model_alias: 'reader', summary_score_sample_size: 3 }],
  columns: [
    sampled('topic', 'category', { values: ['salt', 'bees'] }),
    {
      name: 'fact',
      column_type: 'llm-text',
      model_alias: 'writer',
      tool_alias: 'facts',
      with_trace: true,
      system_prompt: 'Be brief.',
      prompt: 'Tell of {{ topic }} with get_fact.',
    },
    {
      name: 'grade',
      column_type: 'llm-judge',
      model_alias: 'writer',
      prompt: 'Grade {{ fact }}',
      scores: [
        { name: 'Warmth', description: 'How warm?', options: { 1: 'cold', 2: 'warm' } },
        { name: 'Tone', description: 'Which?', options: { dry: 'plain', witty: 'funny' } },
      ],
    },
  ],
};

/** A model that says what it was told to; counts what it is asked. */
async function startReader() {
  const asked: string[] = [];
  const state = { isDown: false };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      asked.push(body);
      const message = { role: 'assistant', content: ' They are brief. ' };
      const usage = { prompt_tokens: 1_000_000, completion_tokens: 500_000 };
      response.writeHead(state.isDown ? 400 : 200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          state.isDown
            ? { error: { message: 'the reader is out' } }
            : {
                id: '1',
                object: 'chat.completion',
                model: 'reading',
                choices: [{ index: 0, message, finish_reason: 'stop' }],
                usage,
              },
        ),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const providers = {
    models: [modelProvider.parse({ name: 'counted', endpoint: `http://127.0.0.1:${port}/v1` })],
    tools: [],
  };
  return { asked, state, providers, [Symbol.dispose]: () => void server.close() };
}

function metadataOf(path: string): { readonly column_statistics?: readonly object[] } {
  return JSON.parse(readFileSync(join(path, 'metadata.json'), 'utf8')) as object;
}

test.each(['parquet', 'arrow'] as const)(
  'the profile of a %s dataset is stored until the dataset grows',
  { tags: 'long' },
  async (format) => {
    await using designer = new DataDesigner({ artifactPath: folder, runConfig: { seed: 1, bufferSize: 20 } });
    const create = (numRecords: number, resume: 'never' | 'always') =>
      designer.create({ document: LOCAL, source: 'test' }, { numRecords, format, resume, datasetName: 'made' });
    const results = await create(50, 'never');
    const { profile } = await results.loadAnalysis();
    expect(await results.loadAnalysis()).toBe(await results.loadAnalysis());
    const records = (await Array.fromAsync(results.records())) as { kind: string; size: number; said: string }[];
    const sizes = records.map(({ size }) => size);
    expect(profile).toMatchObject({ name: 'made', records: 50, wanted: 50, judges: [], traces: [], cost: 0 });
    expect(profile.columns.map(({ name, nulls, unique }) => [name, nulls, unique])).toEqual([
      ['kind', 0, 2],
      ['size', 0, new Set(sizes).size],
      ['said', 0, new Set(records.map(({ said }) => said)).size],
    ]);
    expect(profile.columns[1]?.numbers).toMatchObject({ min: Math.min(...sizes), max: Math.max(...sizes) });

    const kept = join(results.path, 'profile.json');
    const before = readFileSync(kept, 'utf8');
    expect((await (await loadDataset(results.path)).loadAnalysis()).profile).toEqual(profile);
    expect(readFileSync(kept, 'utf8')).toBe(before);
    expect(metadataOf(results.path).column_statistics).toMatchObject([
      { column_name: 'kind', distribution_type: 'categorical', num_unique: 2 },
      { column_name: 'size', distribution_type: 'numerical', simple_dtype: 'float' },
      { column_name: 'said', column_type: 'expression', simple_dtype: 'string' },
    ]);

    const grown = await create(70, 'always');
    expect(metadataOf(results.path).column_statistics).toBe(undefined);
    expect((await grown.loadAnalysis()).profile).toMatchObject({ records: 70, columns: [{ records: 70 }, {}, {}] });
  },
);

test('a model summarises judge scores once, and the usage counts it', { tags: 'long' }, async () => {
  using reader = await startReader();
  const { providers } = reader;
  await using designer = new DataDesigner({ artifactPath: folder, runConfig: { seed: 1 }, providers });
  const results = await designer.create({ document: JUDGED, source: 'test' }, { numRecords: 8, datasetName: 'judged' });
  expect(reader.asked).toEqual([]);
  const { profile } = await results.loadAnalysis();
  const scores = profile.judges.flatMap((judge) => judge.scores);
  expect(scores.map(({ score, summary, isSummaryFailed }) => [score, summary, isSummaryFailed])).toEqual([
    ['Warmth', 'They are brief.', false],
    ['Tone', 'They are brief.', false],
  ]);
  expect(scores[0]?.distribution).toMatchObject({ records: 8, numbers: { count: 8 } });
  expect(scores[1]?.distribution).toMatchObject({ records: 8, numbers: null });
  expect(reader.asked).toHaveLength(2);
  // As many reasons as the declaration says.
  expect(reader.asked.every((body) => body.split('\\n- (').length === 4)).toBe(true);
  expect(results.usage['reader']).toMatchObject({ requests: 2, cost: 4 });
  expect(profile.usage['reader']).toMatchObject({ inputTokens: 2_000_000 });

  const loaded = await loadDataset(results.path, { providers });
  expect((await loaded.loadAnalysis()).profile.judges).toEqual(profile.judges);
  expect(loaded.usage['reader']).toMatchObject({ requests: 2, cost: 4 });
  expect(reader.asked).toHaveLength(2);

  const [fact] = profile.columns.filter(({ name }) => name === 'fact');
  expect(fact).toMatchObject({ inputTokens: { records: 8 }, outputTokens: { records: 8 } });
  // Be| brief|.\n\n|Tell| of| salt| with| get|_fact|.
  expect(fact?.inputTokens).toMatchObject({ mean: 10, stddev: 0 });
  expect(profile.traces).toMatchObject([{ column: 'fact', tools: [{ name: 'get_fact', failed: 0 }] }]);
  expect(profile.sideEffects).toEqual(['fact__trace']);
});

test('a failed summary states its cause and is requested again', { tags: 'long' }, async () => {
  using reader = await startReader();
  reader.state.isDown = true;
  const { providers } = reader;
  await using designer = new DataDesigner({ artifactPath: folder, runConfig: { seed: 1 }, providers });
  const results = await designer.preview({ document: JUDGED, source: 'test' }, { numRecords: 2 });
  const { profile } = await results.analysis();
  const [score] = profile.judges[0]?.scores ?? [];
  expect(score).toMatchObject({ isSummaryFailed: true, distribution: { records: 2 } });
  expect(score?.summary).toContain('the reader is out');

  const made = await designer.create({ document: JUDGED, source: 'test' }, { numRecords: 2, datasetName: 'down' });
  await made.loadAnalysis();
  reader.state.isDown = false;
  const again = await (await loadDataset(made.path, { providers })).loadAnalysis();
  expect(again.profile.judges[0]?.scores[0]).toMatchObject({ summary: 'They are brief.', isSummaryFailed: false });
});

test('summaries stop when the budget is spent and say so', { tags: 'long' }, async () => {
  using reader = await startReader();
  const { providers } = reader;
  await using designer = new DataDesigner({ artifactPath: folder, runConfig: { seed: 1, maxCost: 1.5 }, providers });
  const results = await designer.create({ document: JUDGED, source: 'test' }, { numRecords: 2, datasetName: 'bound' });
  const analysis = await results.loadAnalysis();
  expect(reader.asked).toHaveLength(1);
  const spent = /There is no summary: the budget of 1\.5 is spent, as the answers cost 2\./;
  const [warmth, tone] = analysis.profile.judges[0]?.scores ?? [];
  expect(warmth).toMatchObject({ summary: 'They are brief.', isSummaryFailed: false });
  expect(tone).toMatchObject({ summary: expect.stringMatching(spent) as string, isSummaryFailed: true });
  expect(await analysis.toReport()).toMatch(spent);

  await (await loadDataset(results.path, { providers })).loadAnalysis();
  expect(reader.asked).toHaveLength(1);
  const more = await (await loadDataset(results.path, { providers, maxCost: 5 })).loadAnalysis();
  expect(more.profile.judges[0]?.scores[1]).toMatchObject({ summary: 'They are brief.', isSummaryFailed: false });
  expect(reader.asked).toHaveLength(2);
});

test('the command shows a report, writes a page, and prints figures', async () => {
  await using designer = new DataDesigner({ artifactPath: folder, runConfig: { seed: 1 } });
  const { path } = await designer.create({ document: LOCAL, source: 'test' }, { numRecords: 20 });
  const shown = await runCommand(['report', path]);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toContain('Sampler columns');
  expect(shown.stdout).toMatch(/kind +string +2 \(10\.0%\)/);
  const page = join(folder, 'page.html');
  expect(await runCommand(['report', path, '--html', page, '--sections', 'sampler'])).toMatchObject({
    stdout: `${page}\n`,
  });
  expect(readFileSync(page, 'utf8')).not.toContain('Expression columns');
  const { stdout } = await runCommand(['report', path, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ records: 20 });
  expect(await runCommand(['report', path, '--html', 'page.svg'])).toMatchObject({ code: 2 });
  expect(await runCommand(['report', join(folder, 'none')])).toMatchObject({ code: 1 });
  const nowhere = await runCommand(['report', path, '--html', join(folder, 'none', 'page.html')]);
  expect(nowhere).toMatchObject({ code: 1, stdout: '' });
  expect(nowhere.stderr).toContain(join(folder, 'none'));
  expect(nowhere.stderr).toContain('there is no such folder');
});
