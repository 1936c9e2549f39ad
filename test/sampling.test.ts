import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { DuckDBInstance } from '@duckdb/node-api';
import { DataDesigner } from 'data-designer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry } from '@data-designer/config';
import { type Plan, type RowGroup, rowGroups, stringifyJson } from '@data-designer/core';
import { WorkerPool } from '../packages/engine/src/executor/worker-pool.ts';
import { PortGateway } from '../packages/gateway/src/port-gateway.ts';
import { readStreams } from '../packages/dataset/src/read-dataset.ts';
import { preparePlan } from '../packages/engine/src/row-group/prepare-plan.ts';
import type { RowGroupResult } from '../packages/engine/src/row-group/row-group-result.ts';
import { runRowGroup } from '../packages/engine/src/row-group/run-row-group.ts';
import { writeBatch } from '../packages/engine/src/row-group/write-batch.ts';
import { datasetPaths } from '../packages/dataset/src/dataset-paths.ts';
import { tablesReader } from '../packages/seeds/src/tables/table-reader.ts';
import type { TableFile } from '../packages/seeds/src/tables/table-source.ts';

const ROWS = 1025;
const SEED = 20_260_729;

const sampled = (name: string, sampler_type: string, more: Readonly<Record<string, unknown>>) => {
  return { name, column_type: 'sampler', sampler_type, ...more };
};

const COLUMNS = [
  sampled('id', 'uuid', { params: {} }),
  sampled('code', 'uuid', { params: { prefix: 'c-', short_form: true, uppercase: true } }),
  sampled('kind', 'category', { params: { values: ['kelp', 'dulse', 'laver'], weights: [5, 3, 2] } }),
  sampled('sort', 'subcategory', {
    params: { category: 'kind', values: { kelp: ['sugar', 'oar'], dulse: ['red'], laver: [1, 2] } },
  }),
  sampled('size', 'uniform', { params: { low: 0, high: 9, decimal_places: 2 } }),
  sampled('width', 'uniform', { params: { low: 0, high: 10 } }),
  sampled('far', 'gaussian', { params: { mean: 0, stddev: 1 } }),
  sampled('score', 'gaussian', {
    params: { mean: 50, stddev: 9 },
    convert_to: 'int',
    conditional_params: {
      "kind == 'laver'": { mean: 10, stddev: 1, decimal_places: -1 },
      'size > 8': { mean: -5, stddev: 0 },
    },
  }),
  sampled('fresh', 'bernoulli', { params: { p: 0.3 } }),
  sampled('delay', 'bernoulli_mixture', { params: { p: 0.4, dist_name: 'expon', dist_params: { scale: 2 } } }),
  sampled('found', 'binomial', { params: { n: 40, p: 0.2 } }),
  sampled('seen', 'poisson', { params: { mean: 2 }, conditional_params: { 'fresh == 1': { mean: 80 } } }),
  sampled('load', 'scipy', { params: { dist_name: 'gamma', dist_params: { a: 2.5 }, decimal_places: 1 } }),
  sampled('rank', 'scipy', { params: { dist_name: 'zipf', dist_params: { a: 2.5 } }, convert_to: 'str' }),
  sampled('picked', 'category', { params: { values: [0, 2.5, 40] } }),
  sampled('start', 'datetime', { params: { start: '2023-11-05 10:30', end: '2025-03-01', unit: 'm' } }),
  sampled('checked', 'datetime', { params: { start: '2023-01-01', end: '2026-03-01', unit: 'D' } }),
  sampled('end', 'timedelta', {
    params: { dt_min: 1, dt_max: 90, reference_column_name: 'start', unit: 'h' },
    convert_to: '%d %b %Y',
  }),
  sampled('guest', 'person_from_faker', { params: { locale: 'de_DE', age_range: [12, 80] } }),
  sampled('host', 'person', { params: { locale: 'en_US', age_range: [20, 90] } }),
  sampled('least', 'uniform', { params: { low: 0, high: 1.02 } }),
  sampled('most', 'uniform', { params: { low: 0, high: 1 } }),
  { name: 'note', column_type: 'expression', expr: '{{ kind }} {{ size }} {{ tide }} {{ ["a", "b", "c"] | random }}' },
];

const held = (target_column: string, operator: string, rhs: number | string) => ({ target_column, operator, rhs });

const CONSTRAINTS = [
  // So rare that it is drawn from the tail itself.
  held('far', 'gt', 5.5),
  held('width', 'ge', 'size'),
  held('picked', 'lt', 'width'),
  held('checked', 'gt', 'start'),
  // In some rows no value keeps this.
  held('most', 'gt', 'least'),
];

let folder: string;
let pools: Readonly<Record<number, WorkerPool>>;

/** The dataset; its seed has fewer rows than it, and each pass over them is in another order. */
function dataset() {
  const seed_config = { source: { seed_type: 'local', path: join(folder, 'tides.csv') }, sampling_strategy: 'shuffle' };
  return { document: { columns: COLUMNS, constraints: CONSTRAINTS, seed_config }, source: 'sampling' };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sampling-'));
  const tides = Array.from({ length: 900 }, (_, tide) => `${tide},${tide / 8},at ${tide}`);
  writeFileSync(join(folder, 'tides.csv'), ['tide,height,place', ...tides].join('\n'));
  await installPeople(join(folder, 'datasets'));
  process.env.DATA_DESIGNER_MANAGED_ASSETS_PATH = folder;
  pools = { 1: new WorkerPool(), 2: new WorkerPool() };
});

afterAll(async () => {
  delete process.env.DATA_DESIGNER_MANAGED_ASSETS_PATH;
  for (const pool of Object.values(pools)) await pool[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function installPeople(collections: string): Promise<void> {
  mkdirSync(collections);
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const people = `SELECT 'F' || i AS first_name, 'L' || (i % 77) AS last_name, i % 100 AS age, 'OR' AS region FROM range(4000) t(i)`;
  await connection.run(`COPY (${people}) TO '${join(collections, 'en_US.parquet')}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
}

/** A plan, and its tables in the order of the run. */
interface Planned {
  readonly plan: Plan;
  readonly tables: readonly TableFile[];
}

let first: Promise<{ readonly rows: Rows; readonly tables: readonly TableFile[] }> | undefined;

/** The dataset as users make it, in one row group; its tables serve the plans with others. */
function whole(): NonNullable<typeof first> {
  first ??= create(ROWS, 'parquet').then(({ rows, path }) => {
    const paths = datasetPaths(path);
    const record = JSON.parse(readFileSync(paths.run, 'utf8')) as { tables: { id: string; rows: number }[] };
    return { rows, tables: record.tables.map((table) => ({ ...table, path: paths.table(table.id) })) };
  });
  return first;
}

async function planOf(bufferSize: number): Promise<Planned> {
  await using designer = new DataDesigner({ runConfig: { seed: SEED, bufferSize } });
  const plan = await designer.validate(dataset(), { numRecords: ROWS });
  return { plan, tables: (await whole()).tables };
}

/** What a dataset holds, row by row, in text that keeps all digits. */
type Rows = readonly string[];

async function rowsOf(plan: Plan, results: ReadonlyMap<number, RowGroupResult>): Promise<Rows> {
  const streams = [...rowGroups(plan)].map(({ index }) => {
    const output = results.get(index)?.output;
    return output && 'bytes' in output ? output.bytes : new Uint8Array();
  });
  return (await Array.fromAsync(readStreams(streams))).map((row) => stringifyJson(row));
}

/** The same for the same seed, and for no other reason. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  const keyed = items.map((item, index) => ({ item, key: Math.imul(index + 1, 0x9e3779b1) >>> 0 }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
}

/** Makes row groups one after the other, in this thread. */
async function makeHere({ plan, tables }: Planned, groups: readonly RowGroup[]): Promise<Rows> {
  const prepared = preparePlan(plan, new ColumnRegistry(columnTypes));
  const { port1, port2 } = new MessageChannel();
  using gateway = new PortGateway(port1);
  const results = new Map<number, RowGroupResult>();
  for (const group of groups) {
    const result = await runRowGroup(prepared, group, {
      gateway,
      signal: new AbortController().signal,
      tables: tablesReader(plan.tables, tables),
      write: (batch) => writeBatch({ kind: 'memory' }, batch),
    });
    results.set(group.index, result);
  }
  port2.close();
  return rowsOf(plan, results);
}

/** Makes row groups on worker threads, each of which takes the next one as soon as it is free. */
async function makeOnThreads({ plan, tables }: Planned, groups: readonly RowGroup[], threads: number): Promise<Rows> {
  const pool = pools[threads] as WorkerPool;
  const lease = pool.lease({ threads, groupsPerThread: 1 });
  const results = new Map<number, RowGroupResult>();
  const text = stringifyJson(plan);
  const make = async (group: RowGroup): Promise<void> => {
    const { port1, port2 } = new MessageChannel();
    const task = { run: text, plan: text, group, tables, port: port1, destination: { kind: 'memory' } as const };
    const answer = await lease.run(task, { transferList: [port1] });
    port2.close();
    if ('lost' in answer) throw new Error(answer.lost.reason);
    if ('failure' in answer) throw new Error(answer.failure.message);
    results.set(group.index, answer.result);
  };
  await Promise.all(groups.map(make));
  await pool.release(lease, { idle: true });
  return rowsOf(plan, results);
}

/** Makes the dataset as users do. */
async function create(bufferSize: number, format: 'parquet' | 'arrow'): Promise<{ rows: Rows; path: string }> {
  await using designer = new DataDesigner({ artifactPath: folder, runConfig: { seed: SEED, bufferSize } });
  const datasetName = `${format}-${bufferSize}`;
  const results = await designer.create(dataset(), { numRecords: ROWS, datasetName, format });
  const records = await Array.fromAsync(results.records());
  return { rows: records.map((row) => stringifyJson(row as never)), path: results.path };
}

test('most sampled rows are made, all distinct, and impossible ones are lost', { tags: 'long' }, async () => {
  const { rows } = await whole();
  expect(rows.length).toBeGreaterThan(0.95 * ROWS);
  expect(rows.length).toBeLessThan(ROWS);
  expect(new Set(rows).size).toBe(rows.length);
});

for (const { size } of [{ size: 7 }, { size: 100 }, { size: 1000 }])
  test(`row groups of ${size} rows hold the same rows, in order and shuffled`, { tags: 'long' }, async () => {
    const planned = await planOf(size);
    const groups = [...rowGroups(planned.plan)];
    expect(groups.length).toBe(Math.ceil(ROWS / size));
    const { rows } = await whole();
    expect(await makeHere(planned, groups)).toEqual(rows);
    expect(await makeHere(planned, shuffled(groups))).toEqual(rows);
  });

for (const { threads, size } of [
  { threads: 2, size: 100 },
  { threads: 1, size: 7 },
  { threads: 1, size: 100 },
  { threads: 1, size: 1000 },
  { threads: 2, size: 7 },
  { threads: 2, size: 1000 },
])
  test(
    `${threads} threads with row groups of ${size} rows make the same rows, in order and shuffled`,
    { tags: 'long' },
    async () => {
      const planned = await planOf(size);
      const groups = [...rowGroups(planned.plan)];
      const { rows } = await whole();
      expect(await makeOnThreads(planned, groups, threads)).toEqual(rows);
      expect(await makeOnThreads(planned, shuffled(groups), threads)).toEqual(rows);
    },
  );

for (const { size, format, tags } of [
  { size: 7, format: 'parquet', tags: ['long'] },
  { size: 100, format: 'arrow', tags: [] },
  { size: 1000, format: 'parquet', tags: [] },
] as const)
  test(`a dataset in groups of ${size} rows as ${format} files holds the same`, { tags: [...tags] }, async () => {
    expect((await create(size, format)).rows).toEqual((await whole()).rows);
  });

test('another seed makes different rows', async () => {
  const { plan, tables } = await planOf(ROWS);
  const others = await makeHere({ plan: { ...plan, seed: SEED + 1 }, tables }, [...rowGroups(plan)]);
  const known = new Set((await whole()).rows);
  expect(others.filter((row) => known.has(row))).toEqual([]);
});
