import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os, { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CreateOptions,
  customColumn,
  DataDesigner,
  DataDesignerConfigBuilder,
  defineTool,
  loadDataset,
  type LocalToolProvider,
} from 'data-designer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { datasetPaths, readBatch, readDataset, SelectionLog } from '@data-designer/dataset';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { z } from 'zod';
import { runCommand, startDataDesigner } from './command-line.ts';
import { toolColumn } from './tool-column.ts';

let folder: string;
let simulator: RunningSimulator;
let designer: DataDesigner;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'select-'));
  simulator = await startSimulator();
  designer = newDesigner();
});

afterAll(async () => {
  await designer[Symbol.asyncDispose]();
  await simulator[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function newDesigner(runConfig: object = {}, tools: readonly LocalToolProvider[] = []): DataDesigner {
  const endpoint = simulator.url;
  return new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'counted', endpoint }], tools },
    runConfig: { seed: 9, ...runConfig },
  });
}

const COLUMNS = [
  { name: 'n', column_type: 'sampler', sampler_type: 'uniform', params: { low: 0, high: 1000, decimal_places: 0 } },
  { name: 'topic', column_type: 'sampler', sampler_type: 'category', params: { values: ['tea', 'salt', 'rope'] } },
  { name: 'text', column_type: 'expression', expr: '{{ topic }} {{ n // 4 }}' },
];

const COLOR = { name: 'c', column_type: 'sampler', sampler_type: 'category', params: { values: ['x', 'y'] } };

/** Draws from other values if a condition holds. */
const TWICE = {
  ...COLOR,
  name: 'v',
  conditional_params: { 'n > 3': { values: ['a', 'b', 'c'] } },
};

const ANSWER = { name: 'answer', column_type: 'llm-text', prompt: 'A fact about {{ text }}.', model_alias: 'writer' };

const MODELS = [{ alias: 'writer', model: 'sim-small', provider: 'counted' }];

type Record = Readonly<{ n: number; topic: string; text: string; answer?: string }>;

function config(select: object | undefined, columns: readonly object[] = COLUMNS) {
  const document = { columns, model_configs: MODELS, ...(select ? { select } : {}) };
  return { document, source: 'the test' };
}

async function create(declared: ReturnType<typeof config>, options: CreateOptions, by = designer) {
  const results = await by.create(declared, options);
  return { results, rows: (await Array.fromAsync(results.records())) as Record[] };
}

/** The rows of the plan without a selection. */
async function candidates(numRecords: number, columns?: readonly object[]): Promise<readonly Record[]> {
  return (await create(config(undefined, columns), { numRecords, datasetName: `plain-${numRecords}` })).rows;
}

const filesOf = (name: string) => readdirSync(join(folder, name, 'parquet-files'));

const metadata = (name: string) =>
  JSON.parse(readFileSync(join(folder, name, 'metadata.json'), 'utf8')) as {
    readonly selection: { readonly candidates: number; readonly accepted: number };
    readonly target_num_records: number;
    readonly actual_num_records: number;
  };

test('a dataset has the first accepted candidates, in their order, and exactly as many as requested', async () => {
  const { results, rows } = await create(config({ where: 'n >= 500' }), { numRecords: 300, datasetName: 'half' });
  const all = await candidates(2000);
  expect(rows).toEqual(all.filter(({ n }) => n >= 500).slice(0, 300));
  expect(results).toMatchObject({ count: 300, requested: 300, ended: null });
  expect(metadata('half')).toMatchObject({ target_num_records: 300, actual_num_records: 300 });
});

test('rows are the same whatever the size of the row groups', { tags: 'long' }, async () => {
  const select = { where: 'n >= 500', unique: [{ exact: ['text'] }], balance: { column: 'topic', max_share: 0.5 } };
  const { rows } = await create(config(select), { numRecords: 90, datasetName: 'large-groups' });
  await using small = newDesigner({ bufferSize: 7 });
  const others = await create(config(select), { numRecords: 90, datasetName: 'small-groups' }, small);
  expect(others.rows).toEqual(rows);
  expect(new Set(rows.map(({ text }) => text)).size).toBe(90);
  const counts = Object.values(Object.groupBy(rows, ({ topic }) => topic)).map((of) => of?.length ?? 0);
  expect(Math.max(...counts)).toBeLessThanOrEqual(45);
});

const DOUBLE = defineTool({
  name: 'double_it',
  description: 'Doubles a number.',
  parameters: z.object({ n: z.number().int().min(1).max(9) }),
  execute: ({ n }) => Promise.resolve({ doubled: 2 * n }),
});

/** Makes the rows of a selection with a tool, on a machine of so many processors. */
async function rowsWithTool(processors: number): Promise<unknown> {
  const real = os.availableParallelism;
  os.availableParallelism = () => processors;
  syncBuiltinESMExports();
  try {
    await using many = newDesigner({ bufferSize: 4 }, [{ name: 'mine', providerType: 'local', tools: [DOUBLE] }]);
    const declared = toolColumn('double_it', { provider: 'counted', timeoutSec: 5 });
    const selecting = declared.select({ where: "id[0] < '8'", unique: [{ exact: ['answer'] }] });
    const results = await many.create(selecting, { numRecords: 40, datasetName: `on-${processors}` });
    expect(results.tools['double_it']?.calls).toBeGreaterThanOrEqual(40);
    return await Array.fromAsync(results.records());
  } finally {
    os.availableParallelism = real;
    syncBuiltinESMExports();
  }
}

test('four workers whose model calls a tool accept the rows that one worker accepts', { tags: 'long' }, async () => {
  const rows = await rowsWithTool(5);
  expect(rows).toHaveLength(40);
  expect(rows).toEqual(await rowsWithTool(2));
});

test('rows that where refuses cost no request to the columns behind it', { tags: 'long' }, async () => {
  const before = (await simulator.stats()).answers;
  const { rows, results } = await create(config({ where: 'n >= 500' }, [...COLUMNS, ANSWER]), {
    numRecords: 40,
    datasetName: 'asked',
  });
  expect(rows.every(({ n, answer }) => n >= 500 && answer)).toBe(true);
  const { candidates: made } = metadata('asked').selection;
  const asked = (await simulator.stats()).answers - before;
  expect(made).toBeGreaterThan(60);
  expect(asked).toBeLessThan(made * 0.7);
  expect(results.lost).toMatchObject([{ code: 'select/refused' }]);
});

test('an empty selection replaces the rows that failed', { tags: 'long' }, async () => {
  const half = { name: 'half', column_type: 'expression', expr: '{{ 100 // (n % 2) }}', dtype: 'int' };
  const { rows } = await create(config({}, [...COLUMNS, half]), { numRecords: 50, datasetName: 'replaced' });
  const all = await candidates(200);
  expect(rows.map(({ n }) => n)).toEqual(all.flatMap(({ n }) => (n % 2 === 1 ? n : [])).slice(0, 50));
});

test('more rows keep the first ones and generate no candidate again', { tags: 'long' }, async () => {
  const declared = config({ where: 'n >= 200', unique: [{ exact: ['text'] }] }, [...COLUMNS, ANSWER]);
  const first = await create(declared, { numRecords: 30, datasetName: 'grown' });
  const { candidates: had } = metadata('grown').selection;
  const before = (await simulator.stats()).answers;
  const grown = await create(declared, { numRecords: 60, datasetName: 'grown', resume: 'always' });
  expect(grown.rows.slice(0, 30)).toEqual(first.rows);
  expect(grown.rows).toHaveLength(60);
  const { candidates: made } = metadata('grown').selection;
  const asked = (await simulator.stats()).answers - before;
  expect(asked).toBeGreaterThan(20);
  expect(asked).toBeLessThanOrEqual(made - had);
  const recorded = metadata('grown');
  const again = await create(declared, { numRecords: 60, datasetName: 'grown', resume: 'always' });
  expect(again.rows).toEqual(grown.rows);
  expect(metadata('grown')).toEqual(recorded);
});

test('a run that finds too few rows says so, and keeps them on request', { tags: 'long' }, async () => {
  const select = { where: 'n >= 900', max_candidates: 100 };
  const failed = await create(config(select), { numRecords: 50, datasetName: 'too-few' });
  expect(failed.results.ended).toMatchObject({
    code: 'select/exhausted',
    message: expect.stringContaining('of 50 rows were accepted among 100 candidates') as string,
  });
  const kept = await create(config({ ...select, on_exhausted: 'keep' }), { numRecords: 50, datasetName: 'few' });
  expect(kept.results.ended).toBeNull();
  expect(kept.rows).toEqual(failed.rows);
  const none = create(config({ where: 'n > 1000' }), { numRecords: 3000, datasetName: 'none' });
  await expect(none).resolves.toMatchObject({ rows: [], results: { ended: { code: 'select/exhausted' } } });
  expect(metadata('none').selection.candidates).toBe(1000);
  const { message = '' } = (await none).results.ended ?? {};
  expect(message).toContain('None of the first 1000 candidates was accepted');
  expect(message).not.toContain('max_candidates');
  const unset = await create(config({ where: 'n >= 900' }), { numRecords: 20, datasetName: 'unset' });
  expect(unset.results.ended?.message).toContain('among 60 candidates, the default limit of 3 for each requested row');
});

test('the reason for each refusal is in selection.jsonl and in the events', { tags: 'long' }, async () => {
  const told: unknown[] = [];
  const { rows } = await create(config({ unique: [{ exact: ['text'] }] }), {
    numRecords: 400,
    datasetName: 'reasons',
    onEvent: (event) => void (event.type === 'row-group-end' && told.push(...(event.refused ?? []))),
  });
  const lines = [...(await new SelectionLog(datasetPaths(join(folder, 'reasons'))).read()).values()];
  const refused = lines.flatMap((line) => line.refused);
  expect(refused).toEqual(told);
  expect(refused.length).toBeGreaterThan(20);
  const made = await Array.fromAsync(readDataset(join(folder, 'reasons', 'candidates')));
  for (const { row, of = -1, code, column, reason } of refused) {
    expect(made[row]?.['text']).toBe(rows[of]?.text);
    expect([code, column, reason]).toEqual(['select/duplicate', 'text', `duplicate of row ${of} (1.00)`]);
  }
  const accepted = lines.reduce((sum, line) => sum + line.accepted, 0);
  expect([accepted, accepted + refused.length]).toEqual([400, lines.reduce((sum, line) => sum + line.decided, 0)]);
});

test(
  'row groups without accepted rows are merged with others, and more rows go on behind them',
  { tags: 'long' },
  async () => {
    await using small = newDesigner({ bufferSize: 5 });
    const declared = config({ where: 'n >= 800', max_candidates: 1000 });
    const first = await create(declared, { numRecords: 20, datasetName: 'merged' }, small);
    expect(filesOf('merged').length).toBeLessThanOrEqual(2);
    const grown = await create(declared, { numRecords: 35, datasetName: 'merged', resume: 'always' }, small);
    expect(grown.rows.slice(0, 20)).toEqual(first.rows);
    expect(grown.rows).toEqual((await create(declared, { numRecords: 35, datasetName: 'at-once' }, small)).rows);
    expect(filesOf('merged').length).toBeLessThanOrEqual(2);
  },
);

test(
  'accepted rows that were changed or lost are written again from the candidates, in merged files too',
  { tags: 'long' },
  async () => {
    await using small = newDesigner({ bufferSize: 10, compact: true });
    const options = { numRecords: 60, datasetName: 'mended' };
    const { rows } = await create(config({ where: 'n >= 300' }), options, small);
    const selection = join(folder, 'mended', 'selection.jsonl');
    const lines = readFileSync(selection, 'utf8').trim().split('\n');
    // As if another version of the candidates had been decided.
    writeFileSync(
      selection,
      lines.map((line, at) => (at === 2 ? line.replace(/"digest":"./, '"digest":"-') : line)).join('\n'),
    );
    const again = { ...options, resume: 'always' } as const;
    expect((await create(config({ where: 'n >= 300' }), again, small)).rows).toEqual(rows);
    rmSync(selection);
    expect((await create(config({ where: 'n >= 300' }), again, small)).rows).toEqual(rows);
    const [file = ''] = filesOf('mended');
    truncateSync(join(folder, 'mended', 'parquet-files', file), 100);
    expect((await create(config({ where: 'n >= 300' }), again, small)).rows).toEqual(rows);
  },
);

test('a resume is refused once the compared datasets or benchmarks have changed', { tags: 'long' }, async () => {
  const bench = join(folder, 'moving.jsonl');
  writeFileSync(bench, JSON.stringify({ text: 'tea one two three four five six seven eight' }));
  await create(config({}), { numRecords: 20, datasetName: 'moving' });
  const against = join(folder, 'moving');
  const declared = config({
    unique: [{ exact: ['text'] }],
    unique_against: [against],
    not_in: { files: [bench], column: 'text' },
  });
  const options = { numRecords: 20, datasetName: 'steady' };
  const { rows } = await create(declared, options);
  const again = { ...options, numRecords: 30, resume: 'always' } as const;
  writeFileSync(bench, JSON.stringify({ text: 'salt one two three four five six seven eight' }));
  await create(config({}), { numRecords: 40, datasetName: 'moving', resume: 'always' });
  await expect(create(declared, again)).rejects.toMatchObject({
    code: 'dataset/incompatible',
    message: expect.stringMatching(
      /benchmark files in 'not_in' and the dataset .*moving in 'unique_against' changed/,
    ) as string,
  });
  expect((await Array.fromAsync((await loadDataset(join(folder, 'steady'))).records())) as unknown).toEqual(rows);
});

test('refused rows are kept with their reasons on request', { tags: 'long' }, async () => {
  const select = { where: 'n >= 500', unique: [{ exact: ['text'] }], keep_rejected: true };
  const { rows } = await create(config(select), { numRecords: 60, datasetName: 'with-rejected' });
  const rejected = join(folder, 'with-rejected', 'rejected');
  const files = readdirSync(rejected).map((name) => Array.fromAsync(readBatch(join(rejected, name))));
  const refused = (await Promise.all(files)).flat();
  const reasons = refused.map(({ _reason: reason }) => (typeof reason === 'string' ? reason : ''));
  expect(reasons).toContain('where');
  const [, at] = /^duplicate of row (\d+) \(1\.00\)$/.exec(reasons.find((one) => one.startsWith('dup')) ?? '') ?? [];
  const duplicate = refused[reasons.findIndex((one) => one.startsWith('dup'))];
  expect(duplicate?.['text']).toBe(rows[Number(at)]?.text);
});

test('rows of other datasets count as earlier ones', { tags: 'long' }, async () => {
  const select = { unique: [{ exact: ['text'] }] };
  const first = await create(config(select), { numRecords: 100, datasetName: 'first-half' });
  const against = { ...select, unique_against: [join(folder, 'first-half')] };
  const second = await create(config(against), { numRecords: 100, datasetName: 'second-half' });
  const texts = new Set([...first.rows, ...second.rows].map(({ text }) => text));
  expect(texts.size).toBe(200);
});

test('rows that contain a benchmark item are refused, whatever its case and punctuation', async () => {
  const bench = join(folder, 'bench.jsonl');
  const items = ['Rope that is made of hemp, and left to dry: is it strong?', 'How salty?'];
  writeFileSync(bench, items.map((question) => JSON.stringify({ question, answer: 'yes' })).join('\n'));
  const question = `{% if n < 500 %}So: {{ topic }} that is made of hemp AND left to dry is it strong, or {{ n }}{% else %}How old is {{ topic }} {{ n }}?{% endif %}`;
  const columns = [...COLUMNS, { name: 'question', column_type: 'expression', expr: question }];
  const select = { not_in: { files: [bench], column: 'question', share: 0.6 }, keep_rejected: true };
  const { rows, results } = await create(config(select, columns), { numRecords: 60, datasetName: 'clean' });
  expect(rows.filter(({ n }) => n < 500)).toEqual([]);
  expect(results.lost).toMatchObject([{ code: 'select/benchmark' }]);
  const rejected = join(folder, 'clean', 'rejected');
  const [first] = await Array.fromAsync(readBatch(join(rejected, 'batch_00000.parquet')));
  expect(first?.['_reason']).toMatch(/^benchmark .*bench\.jsonl#0 \((?:1\.00|0\.92)\)$/);
});

test('the builder declares a selection, and names it in the file form', () => {
  const builder = new DataDesignerConfigBuilder()
    .addColumn({ name: 'n', columnType: 'sampler', samplerType: 'uniform', params: { low: 0, high: 9 } })
    .select({ where: 'n > 3', unique: [{ minhash: ['n'] }] });
  const select = { where: 'n > 3', unique: [{ minhash: ['n'], threshold: 0.8 }] };
  expect(builder.toDict()).toMatchObject({ data_designer: { select } });
  expect(() => builder.toDict({ for: 'python' })).toThrow("the Python tool does not support the key 'select'");
  expect(builder.select(null).toDict()).not.toHaveProperty('data_designer.select');
});

test.each([
  [{ where: 'm > 3' }, "select.where: there is no column 'm'"],
  [{ where: 'n >' }, 'select.where'],
  [{ unique: [{ exact: ['txt'] }] }, "select.unique[0].exact[0]: there is no column 'txt'"],
  [{ unique: [{ embedding: 'text' }] }, "select.unique[0].embedding: the column 'text' holds no embeddings"],
  [{ unique: [{ minhash: ['text'], threshold: 2 }] }, 'select.unique[0]'],
  [{ balance: { column: 'text', max_share: 0 } }, 'select.balance.max_share'],
  [{ balance: { column: 'topic', max_share: 0.01 } }, "select.balance.max_share: the column 'topic' has at most"],
  [{ unique_against: ['elsewhere'] }, "select.unique_against: 'unique_against' has no effect"],
  [
    { unique: [{ exact: ['text'] }], unique_against: ['elsewhere'] },
    'select.unique_against[0]: there is no dataset in',
  ],
  [{ not_in: { files: ['no.csv'], column: 'text' } }, 'select.not_in.files[0]:'],
  [{ not_in: { files: ['<folder>/empty.csv'], column: 'text' } }, 'empty.csv has no rows'],
  [{ not_in: { files: ['<folder>/torn.parquet'], column: 'text' } }, 'torn.parquet cannot be read'],
  [{ not_in: { files: ['<folder>/numbers.jsonl'], column: 'text' } }, 'it has no column of texts'],
  [{ not_in: { files: ['<folder>/*.json'], column: 'text' } }, 'contains no file that ends in .json'],
  [
    { unique: [{ exact: ['answer'] }], unique_against: ['<folder>/compared'] },
    "select.unique_against[0]: <folder>/compared has no column 'answer'",
  ],
])('a selection with a mistake is refused: %j', async (given, mistake) => {
  const here = (text: string) => text.replaceAll('<folder>', folder);
  const select = JSON.parse(here(JSON.stringify(given))) as object;
  const message = here(mistake);
  writeFileSync(join(folder, 'empty.csv'), '');
  writeFileSync(join(folder, 'torn.parquet'), 'PAR1');
  writeFileSync(join(folder, 'numbers.jsonl'), '{"n": 3}');
  if (mistake.includes('compared')) await create(config(undefined), { numRecords: 2, datasetName: 'compared' });
  const columns = mistake.includes('answer') ? [...COLUMNS, ANSWER] : COLUMNS;
  const report = await designer.check(config(select, columns));
  expect(report.violations.map(({ path, message: told }) => `${path}: ${told}`).join('\n')).toContain(message);
});

const drawn = (sampler_type: string, params: object, more: object = {}) => ({
  name: 'v',
  column_type: 'sampler',
  sampler_type,
  params,
  ...more,
});
const TIMES = drawn('datetime', { start: '2024-01-01', end: '2024-01-04', unit: 'D' }, { name: 'day' });
const written = (expr: string, more: object = {}) => ({ name: 'v', column_type: 'expression', expr, ...more });

test.each<[string, number | undefined, ...object[]]>([
  ['a category', 2, drawn('category', { values: ['a', 'b', 'c'], weights: [1, 0, 2] })],
  ['a category with conditional values', 5, COLUMNS[0] ?? {}, TWICE],
  ['a subcategory', 3, COLOR, drawn('subcategory', { category: 'c', values: { x: ['a', 'b'], y: ['b', 'd'] } })],
  ['rounded numbers', 11, drawn('uniform', { low: 0, high: 1, decimal_places: 1 })],
  ['converted numbers', 6, drawn('uniform', { low: 0, high: 5 }, { convert_to: 'int' })],
  ['numbers', undefined, drawn('uniform', { low: 0, high: 5 })],
  ['numbers as text', undefined, drawn('uniform', { low: 0, high: 5 }, { convert_to: 'str' })],
  ['binomial numbers', 4, drawn('binomial', { n: 3, p: 0.5 })],
  ['numbers without end', undefined, drawn('poisson', { mean: 3 })],
  ['identifiers', undefined, drawn('uuid', {})],
  ['days, one more than between the times', 5, { ...TIMES, name: 'v' }],
  ['days after days', 10, TIMES, drawn('timedelta', { dt_min: 1, dt_max: 3, reference_column_name: 'day' })],
  ['an expression', 2, COLOR, written('{{ c }}{{ c | upper }}')],
  [
    'an expression of two columns',
    6,
    COLOR,
    drawn('category', { values: [1, 2, 3] }, { name: 'd' }),
    written('{{ c }}{{ d }}'),
  ],
  ['a constant', 1, written('same')],
  [
    'a boolean expression of numbers',
    2,
    drawn('uniform', { low: 0, high: 5 }, { name: 'c' }),
    written('{{ c > 2 }}', { dtype: 'bool' }),
  ],
  ['a random choice', undefined, COLOR, written('{{ [1, 2, 3] | random }}{{ c }}')],
  ['an expression of answers', undefined, ...COLUMNS, ANSWER, written('{{ answer }}')],
])('the number of different values is known for %s: %s', async (_, count, ...columns) => {
  const select = { unique: [{ exact: ['v'] }] };
  const mistakes = async (numRecords?: number) =>
    (await designer.check(config(select, columns), { numRecords })).violations.map(({ type }) => type);
  expect([...(await mistakes(count ?? 1e12)), ...(await mistakes())]).toEqual([]);
  expect(count === undefined ? ['few_values'] : await mistakes(count + 1)).toEqual(['few_values']);
});

test('only a run whose number of rows is given is refused for it', { tags: 'long' }, async () => {
  const declared = config({ unique: [{ exact: ['topic'] }] });
  expect(await designer.validate(declared)).toMatchObject({ segments: [{ rows: 10 }] });
  expect((await designer.preview(declared, { numRecords: 5 })).count).toBe(5);
  const refused = {
    code: 'config/invalid',
    message: expect.stringContaining('no more than 3 of the 10 rows') as string,
  };
  await expect(designer.validate(declared, { numRecords: 10 })).rejects.toMatchObject(refused);
  await expect(designer.create(declared, { datasetName: 'never-enough' })).rejects.toMatchObject(refused);
  expect(existsSync(join(folder, 'never-enough'))).toBe(false);
  const flow = designer.composeWorkflow('few-flow').addStage('first', declared);
  const after = flow.addStage('second', config({ unique: [{ exact: ['c'] }] }, [COLOR]));
  expect(await after.check()).toHaveLength(2);
  await expect(after.check({ numRecords: 10 })).rejects.toMatchObject({ code: 'config/invalid' });
  const file = join(folder, 'few.json');
  writeFileSync(file, JSON.stringify(declared.document));
  expect(await runCommand(['validate', file])).toMatchObject({ code: 0 });
  expect(await runCommand(['validate', file, '-n', '4'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("the column 'topic' has at most 3 different values") as string,
  });
});

test('paths in a selection start at the working folder, also in a stage whose seed is elsewhere', async () => {
  writeFileSync(join(folder, 'items.jsonl'), JSON.stringify({ text: 'tea one two three four five six seven' }));
  const files = [relative(process.cwd(), join(folder, 'items.jsonl'))];
  const declared = { ...config({ not_in: { files, column: 'text' } }), folder: join(folder, 'stage') };
  expect((await designer.check(declared)).violations).toEqual([]);
  expect((await create(declared, { numRecords: 3, datasetName: 'from-here' })).rows).toHaveLength(3);
});

test('a selection by a column of a whole row group is refused, and what else sees refused rows is named', async () => {
  const together = customColumn({ requiredColumns: ['n'], generate: (rows) => rows });
  const check = async (select: object, columns = COLUMNS) => {
    const builder = await DataDesignerConfigBuilder.fromConfig(config(select, columns).document);
    const declared = builder
      .addColumn({ name: 'rank', columnType: 'custom', generatorFunction: together, generationStrategy: 'full_column' })
      .addColumn({ name: 'ranked', columnType: 'expression', expr: '{{ rank }}' })
      .addProcessor({ processorType: 'custom', name: 'same', stage: 'post_batch', process: (rows) => rows });
    const { violations } = await designer.check(declared);
    return violations.map(({ level, path, type }) => `${level} ${path} ${type}`);
  };
  const seen = ['WARNING columns[3] sees_refused_rows', 'WARNING processors[0] sees_refused_rows'];
  expect(await check({ where: 'n > 500' })).toEqual([]);
  expect(await check({ unique: [{ exact: ['text'] }] })).toEqual(seen);
  expect(await check({ where: 'ranked > 0' })).toEqual(['ERROR select.where group_column']);
  const balance = { column: 'rank', max_share: 0.5 };
  expect(await check({ balance })).toEqual(['ERROR select.balance.column group_column', ...seen]);
});

for (const { times, kills, tags } of [
  { times: 'once', kills: [30], tags: [] },
  { times: 'twice', kills: [20, 90], tags: ['long'] },
])
  test(`a run killed ${times} continues: the same rows, and no answer is requested again`, { tags }, async () => {
    const name = `killed-${times}`;
    const rows = 60 * kills.length;
    await using own = await startSimulator('--latency', '2');
    const file = join(folder, 'killed.json');
    const providers = join(folder, 'killed-providers.yaml');
    writeFileSync(providers, `providers:\n  - {name: counted, endpoint: "${own.url}"}\n`);
    const { document } = config({ where: 'n >= 300', unique: [{ exact: ['text'] }] }, [...COLUMNS, ANSWER]);
    writeFileSync(file, JSON.stringify(document));
    const args = ['create', file, '-n', `${rows}`, '-o', folder, '-d', name, '--providers', providers, '--seed', '9'];
    for (const answers of kills) {
      const more = existsSync(join(folder, name)) ? ['--resume', 'always'] : [];
      const { child, finished } = startDataDesigner([...args, ...more]);
      while ((await own.stats()).answers < answers) await sleep(5);
      child.kill('SIGKILL');
      await finished;
    }
    expect(await runCommand([...args, '--resume', 'always'])).toMatchObject({ code: 0 });
    const whole = await create(config(document.select, document.columns), {
      numRecords: rows,
      datasetName: `${name}-whole`,
    });
    const killed = await loadDataset(join(folder, name));
    expect(await Array.fromAsync(killed.records())).toEqual(whole.rows);
    // At most the requests in flight at a kill are sent again.
    const { answers } = await own.stats();
    expect(answers).toBeLessThanOrEqual(Number(whole.results.usage['writer']?.requests) + kills.length * 64);
  });

test(
  'the images of accepted rows are in the folder of the dataset, also after its candidates are deleted',
  { tags: 'long' },
  async () => {
    const image = { name: 'picture', column_type: 'image', prompt: 'A drawing of {{ text }}', model_alias: 'painter' };
    const declared = config({ where: 'n >= 500' }, [...COLUMNS, image]);
    const models = [
      { alias: 'painter', model: 'sim-image', provider: 'counted', inference_parameters: { generation_type: 'image' } },
    ];
    const document = { ...declared.document, model_configs: models };
    const { rows } = await create({ ...declared, document }, { numRecords: 4, datasetName: 'painted' });
    const paths = rows.flatMap((row) => (row as unknown as { readonly picture: readonly string[] }).picture);
    expect(paths.length).toBeGreaterThanOrEqual(4);
    const dry = await runCommand(['clean', join(folder, 'painted'), '--dry-run']);
    expect(dry).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Would delete \d+ files of candidates/) as string,
    });
    expect(await runCommand(['clean', join(folder, 'painted')])).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, 'painted', 'candidates'))).toBe(false);
    expect(paths.every((path) => existsSync(join(folder, 'painted', path)))).toBe(true);
    const again = { numRecords: 4, datasetName: 'painted', resume: 'always' } as const;
    expect((await create({ ...declared, document }, again)).rows).toEqual(rows);
    const more = create({ ...declared, document }, { ...again, numRecords: 8 });
    await expect(more).rejects.toMatchObject({ code: 'select/cleaned' });
  },
);

test('images in dropped columns and in refused rows are in the folder of the dataset', { tags: 'long' }, async () => {
  const image = { name: 'picture', column_type: 'image', prompt: 'A sketch of {{ text }}', model_alias: 'painter' };
  const parameters = { generation_type: 'image' };
  const document = {
    columns: [...COLUMNS, image],
    model_configs: [{ alias: 'painter', model: 'sim-image', provider: 'counted', inference_parameters: parameters }],
    processors: [
      { processor_type: 'schema_transform', name: 'shown', template: { parts: [{ image: '{{ picture[0] }}' }] } },
      { processor_type: 'schema_transform', name: 'kept', keep_types: true, template: { all: ['{{ picture }}'] } },
      { processor_type: 'drop_columns', name: 'hidden', column_names: ['picture'] },
    ],
  };
  for (const [name, processors] of Object.entries({ hidden: document.processors, plain: [] })) {
    const select = { where: 'n >= 500', keep_rejected: true };
    const declared = { document: { ...document, processors, select }, source: 'the test' };
    await designer.create(declared, { numRecords: 3, datasetName: name });
    const made = ['shown', 'kept'].map((one) => `processors-files/${one}`);
    const tables = ['parquet-files', 'dropped-columns-parquet-files', ...made, 'rejected'];
    const files = tables.flatMap((table) =>
      existsSync(join(folder, name, table))
        ? readdirSync(join(folder, name, table)).map((one) => join(folder, name, table, one))
        : [],
    );
    const rows = (await Promise.all(files.map((file) => Array.fromAsync(readBatch(file))))).flat();
    const paths = JSON.stringify(rows).match(/images\/[^"]+/g) ?? [];
    expect(paths.length).toBeGreaterThanOrEqual(6);
    expect(paths.filter((path) => !existsSync(join(folder, name, path)))).toEqual([]);
  }
});

test('a lost image of a refused row is named, and made again from the candidates', { tags: 'long' }, async () => {
  const picture = { name: 'picture', column_type: 'image', prompt: 'A sketch of {{ text }}', model_alias: 'painter' };
  const parameters = { generation_type: 'image' };
  const document = {
    columns: [...COLUMNS, picture],
    model_configs: [{ alias: 'painter', model: 'sim-image', provider: 'counted', inference_parameters: parameters }],
    select: { where: 'n >= 500', keep_rejected: true, keep_candidates: true },
  };
  const declared = { document, source: 'the test' };
  const options = { numRecords: 3, datasetName: 'refused-images' };
  await designer.create(declared, options);
  const dataset = join(folder, 'refused-images');
  const rejected = join(dataset, 'rejected');
  const refusedRows = async () => {
    const files = readdirSync(rejected).map((name) => Array.fromAsync(readBatch(join(rejected, name))));
    return (await Promise.all(files)).flat();
  };
  const before = await refusedRows();
  const image = join(dataset, String(JSON.stringify(before).match(/images\/[^"]+/)?.[0]));
  rmSync(image);
  const [damage] = (await loadDataset(dataset)).damages;
  expect(damage).toMatch(/^images.*: it is missing or damaged, and a refused row needs it/);
  await designer.create(declared, { ...options, resume: 'always' });
  expect(existsSync(image)).toBe(true);
  expect(await refusedRows()).toEqual(before);
  truncateSync(join(rejected, String(readdirSync(rejected)[0])), 20);
  await designer.create(declared, { ...options, resume: 'always' });
  expect(await refusedRows()).toEqual(before);
});

function oddRows(rows: readonly Readonly<{ [name: string]: unknown }>[]) {
  return rows.filter(({ n }) => Number(n) % 2 === 1);
}

test('a resume leaves a dataset that was processed as a whole as it is', { tags: 'long' }, async () => {
  const { document } = config({ unique: [{ exact: ['text'] }] });
  const processor = { processorType: 'custom', name: 'odd', stage: 'after_generation', process: oddRows } as const;
  const builder = (await DataDesignerConfigBuilder.fromConfig(document)).addProcessor(processor);
  const options = { numRecords: 40, datasetName: 'processed' };
  const first = await Array.fromAsync((await designer.create(builder, options)).records());
  const again = await designer.create(builder, { ...options, resume: 'always' });
  expect(await Array.fromAsync(again.records())).toEqual(first);
  const loaded = await loadDataset(join(folder, 'processed'));
  expect(loaded).toMatchObject({ count: first.length, requested: 40, ended: null });
  expect(first.length).toBeLessThan(40);
  expect(await runCommand(['clean', join(folder, 'processed')])).toMatchObject({ code: 0 });
});

test('candidates of an unfinished dataset are deleted only by force', { tags: 'long' }, async () => {
  await create(config({ where: 'n >= 900', max_candidates: 100 }), { numRecords: 50, datasetName: 'unfinished' });
  const refused = await runCommand(['clean', join(folder, 'unfinished')]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('select/unfinished') as string });
  expect(await runCommand(['clean', join(folder, 'unfinished'), '--force'])).toMatchObject({ code: 0 });
  expect(await runCommand(['clean', join(folder, 'elsewhere')])).toMatchObject({ code: 1 });
});

test('the usage of candidates is that of the dataset', { tags: 'long' }, async () => {
  const { results } = await create(config({ where: 'n >= 500' }, [...COLUMNS, ANSWER]), {
    numRecords: 10,
    datasetName: 'used',
  });
  const loaded = await loadDataset(join(folder, 'used'));
  expect(loaded.usage).toEqual(results.usage);
  expect(loaded).toMatchObject({ count: 10, requested: 10 });
});

test('candidates that were not needed are told, reported, and taken first by a larger dataset', async () => {
  const file = join(folder, 'spare.json');
  writeFileSync(file, JSON.stringify({ columns: COLUMNS, select: { where: 'n >= 500' } }));
  const args = ['create', file, '-d', 'spare', '-o', folder, '--seed', '2'];
  const { stdout } = await runCommand([...args, '-n', '10']);
  const [, left = ''] =
    /\n(\d+) more candidates are complete: a larger -n with --resume always takes them/.exec(stdout) ?? [];
  expect(Number(left)).toBeGreaterThan(1);
  expect(metadata('spare').selection).toMatchObject({ accepted: 10, left: Number(left) });
  const report = await runCommand(['report', join(folder, 'spare')]);
  expect(report.stdout).toMatch(new RegExp(`not needed\\W[^\n]*\n[^\n]*\n?[^\n]*\\b${left}\\b`));
  const before = readdirSync(join(folder, 'spare', 'candidates', 'parquet-files'));
  const more = await runCommand([...args, '-n', String(10 + Number(left)), '--resume', 'always']);
  expect(more.stdout).not.toContain('more candidate');
  expect(readdirSync(join(folder, 'spare', 'candidates', 'parquet-files'))).toEqual(before);
  expect(metadata('spare').selection).not.toHaveProperty('left');
});

/** The contents of all files of a dataset. */
function contentsOf(name: string): ReadonlyMap<string, string> {
  const files = readdirSync(join(folder, name), { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = files.map((file) => join(file.parentPath, file.name));
  return new Map(paths.map((path) => [relative(folder, path), readFileSync(path, 'latin1')]));
}

test('a run that is refused, or that finds all rows, changes no file of a dataset without its candidates', async () => {
  const seed = join(folder, 'seed.csv');
  writeFileSync(seed, `place\n${Array.from({ length: 40 }, (_, row) => `place ${row}`).join('\n')}\n`);
  const of = (select: object, column: object = {}) => {
    const { document } = config({ where: 'n >= 300', keep_candidates: false, ...select }, [
      ...COLUMNS,
      { ...ANSWER, prompt: 'A fact about {{ place }}.', ...column },
    ]);
    return { document: { ...document, seed_config: { source: { seed_type: 'local', path: seed } } }, source: 'a test' };
  };
  const options = { numRecords: 8, datasetName: 'cleaned', resume: 'always' } as const;
  await designer.create(of({}), { ...options, resume: 'never' });
  expect(existsSync(join(folder, 'cleaned', 'candidates'))).toBe(false);
  const before = contentsOf('cleaned');
  const record = JSON.parse(readFileSync(join(folder, 'cleaned', 'run.json'), 'utf8')) as object;
  expect(record).toMatchObject({ tables: [{}] });
  expect((await create(of({}), options)).results.count).toBe(8);
  expect(contentsOf('cleaned')).toEqual(before);
  for (const [refused, changed, more] of [
    ['select/cleaned', of({}), { numRecords: 12 }],
    ['select/cleaned', of({}), { numRecords: 12, reRequest: true }],
    ['dataset/incompatible', of({ where: 'n >= 600' }), {}],
    ['dataset/incompatible', of({}, { prompt: 'Two facts about {{ place }}.' }), {}],
    ['dataset/incompatible', of({}), { numRecords: 4 }],
  ] as const) {
    await expect(designer.create(changed, { ...options, ...more })).rejects.toMatchObject({ code: refused });
    expect(contentsOf('cleaned')).toEqual(before);
  }
});
