import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  customColumn,
  customProcessor,
  DataDesigner,
  DataDesignerConfigBuilder,
  type DatasetCreation,
  loadDataset,
  type RunConfig,
} from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';

const ROWS = 40;

let artifactPath: string;
let simulator: RunningSimulator;

beforeEach(async () => {
  artifactPath = mkdtempSync(join(tmpdir(), 'live-records-'));
  simulator = await startSimulator();
});

afterEach(async () => {
  await simulator[Symbol.asyncDispose]();
  rmSync(artifactPath, { recursive: true });
});

function designer(runConfig: Partial<RunConfig> = {}, plugins: readonly URL[] = []): DataDesigner {
  const { url: endpoint } = simulator;
  const own = { name: 'own', endpoint, providerType: 'openai', apiKey: null, extraBody: null, extraHeaders: null };
  const providers = { models: [{ ...own, providerType: 'openai' as const }], tools: [] };
  return new DataDesigner({ artifactPath, providers, plugins, runConfig: { seed: 6, ...runConfig } });
}

/** Chains of two answers, with values of many kinds. */
function config() {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'writer', model: 'sim-small', provider: 'own' })
    .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
    .addColumn({
      name: 'number',
      columnType: 'sampler',
      samplerType: 'uniform',
      params: { low: 0, high: 100, decimalPlaces: 0 },
      convertTo: 'int',
    })
    .addColumn({ name: 'half', columnType: 'expression', dtype: 'float', expr: '{{ number / 2 }}' })
    .addColumn({ name: 'hidden', columnType: 'expression', expr: '{{ number }}', drop: true })
    .addColumn({
      name: 'quiz',
      columnType: 'llm-structured',
      modelAlias: 'writer',
      prompt: 'A quiz of {{ id }}.',
      outputFormat: z.object({ question: z.string(), choices: z.array(z.string()), right: z.number().int() }),
    })
    .addColumn({
      name: 'text',
      columnType: 'llm-text',
      modelAlias: 'writer',
      prompt: 'Say {{ quiz }}.',
      withTrace: true,
    });
}

type Made = Record<string, unknown>;
type Reading = AsyncIterator<Made>;

/** Reads a run's rows from its start on. */
function read(made: DatasetCreation<object>): Reading {
  return made.records()[Symbol.asyncIterator]() as Reading;
}

async function take(rows: Reading, count: number): Promise<Made[]> {
  const taken: Made[] = [];
  while (taken.length < count) taken.push((await rows.next()).value as Made);
  return taken;
}

async function rest(rows: Reading): Promise<Made[]> {
  return Array.fromAsync({ [Symbol.asyncIterator]: () => rows });
}

/** The rows of a dataset's files. */
async function written(name: string): Promise<Made[]> {
  return Array.fromAsync((await loadDataset<Made>(join(artifactPath, name), { unfinished: true })).records());
}

test('finished rows are read while their row group is open, and are those of its file', { tags: 'long' }, async () => {
  await using here = designer();
  await simulator.holdAfter(20);
  const made = here.create(config(), { numRecords: ROWS, datasetName: 'one' });
  const [first, second] = [read(made), read(made)];
  // Answers that wait keep the only row group open.
  const early = await take(first, 5);
  await simulator.release();
  const rows = [...early, ...(await rest(first))];
  expect(rows).toEqual(await written('one'));
  expect(rows).toHaveLength(ROWS);
  expect(Object.keys(rows[0]!)).toEqual(['id', 'number', 'half', 'quiz', 'text', 'text__trace']);
  expect(await rest(second)).toEqual(rows);
});

test('lost rows are left out as in the file', { tags: 'long' }, async () => {
  const failing = customColumn({
    requiredColumns: ['number'],
    generate: ({ number }: { readonly number: number }) => {
      if (number % 3 === 0) throw new Error('a third is lost');
      return { kept: number };
    },
  });
  await using here = designer();
  await simulator.holdAfter(30);
  const made = here.create(config().addColumn({ name: 'kept', columnType: 'custom', generatorFunction: failing }), {
    numRecords: ROWS,
    datasetName: 'lost',
  });
  const reading = read(made);
  const early = await take(reading, 4);
  await simulator.release();
  const rows = [...early, ...(await rest(reading))];
  expect(rows).toEqual(await written('lost'));
  expect(rows.length).toBeLessThan(ROWS);
  expect((await made).lost).toMatchObject([{ column: 'kept' }]);
});

test(
  'rows of several threads and groups are read in order, by a reader that comes late too',
  { tags: 'long' },
  async () => {
    await using here = designer({ bufferSize: 4, maxConcurrentRowGroups: 4 });
    await simulator.holdAfter(ROWS);
    const made = here.create(config(), { numRecords: ROWS, datasetName: 'groups' });
    const reading = read(made);
    const early = await take(reading, 6);
    const late = read(made);
    expect(await take(late, 3)).toEqual(early.slice(0, 3));
    await simulator.release();
    const rows = [...early, ...(await rest(reading))];
    expect(rows).toEqual(await written('groups'));
    expect(await rest(late)).toEqual(rows.slice(3));
  },
);

test('a reader that leaves stops nothing', { tags: 'long' }, async () => {
  await using here = designer();
  await simulator.holdAfter(20);
  const made = here.create(config(), { numRecords: ROWS, datasetName: 'left' });
  for await (const row of made.records()) {
    expect(row.id).toHaveLength(32);
    break;
  }
  await simulator.release();
  expect((await made).count).toBe(ROWS);
});

test(
  'an aborted run has given its first rows, and the resume gives them again with the others',
  { tags: 'long' },
  async () => {
    await using here = designer();
    const stop = new AbortController();
    await simulator.holdAfter(20);
    const made = here.create(config(), { numRecords: ROWS, datasetName: 'aborted', signal: stop.signal });
    const reading = read(made);
    const early = await take(reading, 3);
    stop.abort();
    await expect(rest(reading)).rejects.toMatchObject({ code: 'run/aborted' });
    await simulator.release();
    const again = here.create(config(), { numRecords: ROWS, datasetName: 'aborted', resume: 'always' });
    const rows = await rest(read(again));
    expect(rows.slice(0, 3)).toEqual(early);
    expect(rows).toEqual(await written('aborted'));
    expect(rows).toHaveLength(ROWS);
  },
);

test('a drained run gives each finished row once', async () => {
  await using here = designer();
  const drain = new AbortController();
  await simulator.holdAfter(20);
  const made = here.create(config(), { numRecords: ROWS, datasetName: 'drained', drain: drain.signal });
  const reading = read(made);
  const early = await take(reading, 3);
  drain.abort();
  await simulator.release();
  const rows = [...early];
  const reader = { [Symbol.asyncIterator]: () => reading };
  const readAll = async (): Promise<void> => {
    for await (const row of reader) rows.push(row);
  };
  await expect(readAll()).rejects.toMatchObject({ code: 'run/aborted' });
  expect(rows).toEqual(await written('drained'));
  expect(rows.length).toBeLessThan(ROWS);
});

test('a thread that is lost gives no row twice', { tags: 'long' }, async () => {
  const mark = join(artifactPath, 'mark');
  await using here = designer({}, [new URL('exiting-plugin.ts', import.meta.url)]);
  await simulator.holdAfter(20);
  const document = {
    model_configs: MODELS,
    columns: [...COLUMNS, { name: 'x', column_type: 'exits-once', after: 'text', mark }],
  };
  const made = here.create({ document, source: 'test' }, { numRecords: ROWS, datasetName: 'thread' });
  const reading = read(made);
  const early = await take(reading, 3);
  writeFileSync(mark, '');
  await simulator.release();
  const rows = [...early, ...(await rest(reading))];
  expect(existsSync(mark)).toBe(false);
  expect(rows).toEqual(await written('thread'));
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
});

const MODELS = [{ alias: 'writer', model: 'sim-small', provider: 'own' }];
const COLUMNS = [
  { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
  { name: 'text', column_type: 'llm-text', model_alias: 'writer', prompt: 'Say {{ id }}.' },
];

test('rows that a processor or a selection decides are read after their group', { tags: 'long' }, async () => {
  const upper = customProcessor({
    name: 'upper',
    stage: 'post_batch',
    process: (rows: readonly Made[]) => rows.map((row) => ({ ...row, id: 'x' })),
  });
  await using here = designer({ bufferSize: 10 });
  const processed = here.create(config().addProcessor(upper as never), { numRecords: 20, datasetName: 'processed' });
  const rows = await rest(read(processed));
  expect(rows.map(({ id }) => id)).toEqual(Array(20).fill('x'));
  const select = { where: 'number >= 50' };
  const selected = here.create(config().select(select), { numRecords: 10, datasetName: 'selected' });
  const accepted = await rest(read(selected));
  expect(accepted).toEqual(await written('selected'));
  expect(accepted).toHaveLength(10);
  expect(accepted.every(({ number }) => Number(number) >= 50)).toBe(true);
});

test('a row that a side table refuses is not read', { tags: 'long' }, async () => {
  await using here = designer();
  const document = {
    model_configs: MODELS,
    columns: [
      ...COLUMNS,
      { name: 'n', column_type: 'sampler', sampler_type: 'category', params: { values: [0, 1, 2, 3] } },
    ],
    processors: [{ processor_type: 'schema_transform', name: 'table', template: { share: '{{ 6 // n }}' } }],
  };
  await simulator.holdAfter(20);
  const made = here.create({ document, source: 'test' }, { numRecords: ROWS, datasetName: 'refused' });
  const reading = read(made);
  const early = await take(reading, 3);
  await simulator.release();
  const rows = [...early, ...(await rest(reading))];
  expect(rows).toEqual(await written('refused'));
  expect(rows.length).toBeLessThan(ROWS);
});
