import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DataDesigner } from '@data-designer/designer';
import { type DatasetProfile, NOT_CALCULATED } from '@data-designer/profile';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { testFolder } from '@data-designer/testing/test-folder';
import { analyseOnce } from './analyse-once.ts';
import { DatasetAnalysis } from './dataset-analysis.ts';
import { exampleRows } from './example-rows.ts';
import { columnGroups, resolveSections } from './report-sections.ts';
import { terminalReport, workflowText } from './terminal-report.ts';
import { workflowPage } from './html-report.ts';

const folder = testFolder('dataset-report');
let model: AnsweringServer;
let profile: DatasetProfile;

const asking = (name: string, column_type: string, more: object) => ({
  name,
  column_type,
  model_alias: 'writer',
  ...more,
});
const number = (name: string) => ({
  name,
  column_type: 'sampler',
  sampler_type: 'uniform',
  params: { low: 0, high: 1 },
});

beforeAll(async () => {
  model = await openAnsweringServer((body, response) => {
    const grade = JSON.stringify({ Tone: { score: 2, reasoning: 'fine' } });
    reply(
      response,
      completion(body.includes('Grade') ? grade : 'A text', { prompt_tokens: 1_000_000, completion_tokens: 5 }),
    );
  });
  const designer = new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint: model.origin }], tools: [] },
    runConfig: { seed: 1 },
  });
  const writer = {
    alias: 'writer',
    model: 'm',
    provider: 'own',
    skip_health_check: true,
    pricing: { input: 1, output: 0 },
  };
  const document = {
    model_configs: [writer],
    columns: [
      asking('text', 'llm-text', { prompt: 'Write', with_trace: 'all_messages' }),
      asking('grade', 'llm-judge', {
        prompt: 'Grade',
        scores: [{ name: 'Tone', description: 'How?', options: { 1: 'bad', 2: 'good' } }],
      }),
      number('one'),
      number('two'),
      { name: 'none', column_type: 'expression', expr: '{{ 1 // 0 }}', on_failure: 'null' },
    ],
  };
  const results = await designer.create({ document, source: 'test' }, { numRecords: 4, datasetName: 'data' });
  ({ profile } = await results.loadAnalysis());
});
afterAll(() => model[Symbol.dispose]());

/** The report without colours, at 100 columns. */
function textOf(shown: DatasetProfile, sections?: readonly string[]): string {
  return terminalReport(shown, resolveSections(shown, sections));
}

test('the report of a dataset has an overview, a table for each type, examples, scores and what columns share', () => {
  const text = textOf(profile);
  expect(text).toContain('Profile of data');
  const order = [
    'Overview',
    'Sampler columns',
    'LLM Text columns',
    'LLM Judge columns',
    'Expression columns',
    'Example rows',
  ];
  const places = order.map((heading) => text.indexOf(heading));
  expect(places.every((place) => place > 0)).toBe(true);
  expect(text).toMatch(/records\s+columns\s+complete\s+cost/);
  expect(text).toMatch(/4\s+5\s+100\.0%\s+8/);
  expect(text).toContain("Score 'Tone' of grade");
  expect(text).toContain('mean 2, median 2');
  expect(text).toMatch(/2\s+█{20} 4/);
  expect(text).toMatch(/Conversations\n.*column.*\n(.*\n)?.*text\s+1 \(1 to 1\)\s+/);
  expect(text).toContain('Correlations');
  expect(text).toMatch(/two\s+one\s+-?\d\.\d{3}/);
  expect(text).toContain('Tokens are counted by cl100k_base, as median ± standard deviation, over up to 4 records');
  expect(text).not.toContain('further columns are not shown');
  expect(text).not.toContain('Tool use');
  expect(text).not.toContain('Selection');
  expect(text).not.toContain('Attempts');
});

test('a report has only the sections that are asked for', () => {
  expect(textOf(profile, ['overview'])).not.toMatch(/columns\n|Example rows|Score|Correlations/);
  const samplers = textOf(profile, ['sampler']);
  expect(samplers).toContain('Sampler columns');
  expect(samplers).not.toMatch(/Overview|LLM|Tokens are counted/);
  expect(textOf(profile, ['examples'])).toContain('Example rows');
  expect(textOf(profile, ['column_profilers'])).toContain("Score 'Tone'");
  expect(textOf(profile, ['dataset'])).toContain('Correlations');
  expect(() => resolveSections(profile, ['overview', 'columns'])).toThrow("'columns'");
  expect(resolveSections(profile, undefined)).toBeUndefined();
  const own = { ...profile.columns[0], columnType: 'aa-own' } as (typeof profile.columns)[number];
  const other = { ...own, columnType: 'zz-own' };
  const groups = columnGroups({ ...profile, columns: [other, own, ...profile.columns] }, undefined);
  expect(groups.map(({ columnType }) => columnType).slice(-2)).toEqual(['aa-own', 'zz-own']);
  expect(groups[0]?.columnType).toBe('sampler');
  expect(groups.at(-1)?.title).toBe('Zz Own columns');
});

test('a large or damaged profile leaves out what does not fit', () => {
  const [column] = profile.columns;
  if (!column) throw new Error('There is no column.');
  const many = { ...profile, columns: Array.from({ length: 42 }, (_, at) => ({ ...column, name: `c${at}` })) };
  expect(textOf(many)).toContain('2 further columns are not shown.');
  const none = textOf({ ...profile, records: 0, cost: 0, usage: {} });
  expect(none).not.toContain('Example rows');
  expect(none).not.toMatch(/complete\s+cost/);
  const [score] = profile.judges[0]?.scores ?? [];
  const scores = (more: object) =>
    ({ ...profile, judges: [{ ...profile.judges[0], scores: [{ ...score, ...more }] }] }) as DatasetProfile;
  expect(textOf(scores({ distribution: NOT_CALCULATED }))).toMatch(/Score 'Tone' of grade\n/);
  expect(textOf(scores({ summary: 'They agree.' }))).toContain('They agree.');
  const trace = {
    column: 'chat',
    turns: { mean: 2.5, min: 1, max: 4 },
    lengths: { mean: 10 },
    ends: [{ value: 'goodbye', records: 3 }],
    toolTurns: [{ turn: 1, conversations: 3, calls: 6 }],
    tools: [{ name: 'look', calls: 4, failed: 1 }],
  };
  const text = textOf({ ...profile, traces: [trace], nullPatterns: [{ columns: ['a', 'b'], records: 2 }] } as never);
  expect(text).toMatch(/chat\s+2\.5 \(1 to 4\)\s+10/);
  expect(text).toMatch(/chat\s+goodbye\s+3/);
  expect(text).toMatch(/chat\s+1\s+3\s+6/);
  expect(text).toMatch(/chat\s+look\s+4\s+25\.0%/);
  expect(text).toMatch(/a, b\s+2/);
});

test('correlations are listed from the strongest on, ten of them', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const values = names.map((_, row) =>
    names.map((__, at) => (at < row ? (at % 2 === 0 ? 1 : -1) * ((row + at) / 20) : null)),
  );
  const text = textOf({ ...profile, correlations: { columns: names, values } }, ['dataset']);
  const shown = [...text.matchAll(/^([b-f])\s+([a-e])\s+(-?\d\.\d{3})/gm)].map(([, one, other, r]) => [one, other, r]);
  expect(shown).toHaveLength(10);
  expect(shown.slice(0, 4)).toEqual([
    ['f', 'e', '0.450'],
    ['f', 'd', '-0.400'],
    ['e', 'd', '-0.350'],
    ['f', 'c', '0.350'],
  ]);
});

test('a long name wraps in a table of one column', () => {
  const [column] = profile.columns;
  const name = Array.from({ length: 14 }, (_, at) => `part_${at}`).join('_');
  const text = textOf({ ...profile, columns: [{ ...column, name }] } as never, [column?.columnType ?? '']);
  expect(text).not.toContain('…');
  expect(text).toContain('part_13');
});

test('types of plug-ins come after those of the product, whatever their order', () => {
  const [column] = profile.columns;
  const typesOf = (...types: readonly string[]) => {
    const columns = types.map((columnType) => ({ ...column, columnType })) as unknown as typeof profile.columns;
    return columnGroups({ ...profile, columns }, undefined).map(({ columnType }) => columnType);
  };
  for (const own of ['aa-own', 'zz-own'])
    for (const order of [
      [own, 'sampler'],
      ['sampler', own],
      [own, 'expression'],
      ['expression', own],
    ])
      expect(typesOf(...order).at(-1)).toBe(own);
});

test('examples name the records, and nulls as such', () => {
  const rows = exampleRows(profile);
  expect(rows.map(({ column }) => column)).toEqual(profile.columns.map(({ name }) => name));
  expect(Object.keys(rows[0] ?? {})).toEqual(['column', 'record 1', 'record 2', 'record 3']);
  expect(rows.find(({ column }) => column === 'none')?.['record 1']).toBe('null');
});

test('an analysis gives its figures, and writes a page or a picture', async () => {
  const analysis = new DatasetAnalysis({ ...profile, wanted: 7 }, ['A remark.']);
  expect(analysis.percentComplete).toBe(57.14);
  expect(new DatasetAnalysis({ ...profile, wanted: 0 }).percentComplete).toBe(0);
  expect(analysis.columnTypes.toSorted((a, b) => a.localeCompare(b))).toEqual([
    'expression',
    'llm-judge',
    'llm-text',
    'sampler',
  ]);
  expect(analysis.getColumnStatisticsByType('sampler').map(({ name }) => name)).toEqual(['one', 'two']);
  expect(analysis.getColumnStatisticsByType('other')).toEqual([]);
  expect(await analysis.toReport({ includeSections: ['overview'] })).toContain('Overview');
  const page = join(folder, 'report.html');
  const html = await analysis.toReport({ savePath: page });
  expect(readFileSync(page, 'utf8')).toBe(html);
  expect(html).toContain('A remark.');
  for (const part of ['records', 'complete', '57.1%', 'requests', 'tokens read', 'cost', 'Example rows', 'Tone'])
    expect(html).toContain(part);
  expect(html).toContain('prompts over up to');
  const few = await analysis.toReport({ savePath: page, includeSections: ['sampler'] });
  expect(few).not.toContain('A remark.');
  expect(few).not.toContain('tokens read');
  const picture = join(folder, 'report.svg');
  expect(await analysis.toReport({ savePath: picture })).toContain('Profile of data');
  expect(existsSync(picture)).toBe(true);
  await expect(analysis.toReport({ savePath: 'report.txt' })).rejects.toMatchObject({ code: 'report/invalid-option' });
  await expect(analysis.toReport({ savePath: 5 } as never)).rejects.toMatchObject({ code: 'config/invalid' });
});

test('the report of a workflow has what its stages took before the profile of each', async () => {
  const counts = {
    rows: 1,
    requested: 2,
    missing: 1,
    requests: 3,
    failedRequests: 0,
    inputTokens: 4,
    outputTokens: 5,
    cost: 6,
    knownCost: 6,
    unpriced: [],
    seconds: 7,
  };
  const stages = [{ stage: 'first', path: '', reused: false, ended: null, ...counts }];
  const sections = resolveSections(profile, ['overview']);
  const report = { name: 'flow', summary: { stages, total: counts }, stages: [{ stage: 'first', profile, sections }] };
  const text = workflowText(report);
  expect(text).toMatch(/Report of the workflow flow[\s\S]*first[\s\S]*Profile of data/);
  const page = await workflowPage(report);
  expect(page).toContain('first');
  expect(page).toContain('flow');
});

test('a dataset is profiled once, and again after a failure', async () => {
  let calls = 0;
  const analyse = analyseOnce(() => (calls++ === 0 ? Promise.reject(new Error('no')) : Promise.resolve(profile)));
  await expect(analyse()).rejects.toThrow('no');
  const [one, two] = await Promise.all([analyse(), analyse()]);
  expect(one).toBe(two);
  expect(await analyse()).toBe(one);
  expect(calls).toBe(2);
});
