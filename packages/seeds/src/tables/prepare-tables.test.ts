import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { arrowOfRows } from '../arrow/arrow-of-rows.ts';
import { inspectTable } from '../files/inspect-table.ts';
import { arrayRows } from '../rows/memory-rows.ts';
import { datasetPaths } from '../../../dataset/src/dataset-paths.ts';
import { prepareTables } from './prepare-tables.ts';
import type { TableRecord } from '../../../dataset/src/run-record.ts';
import type { TableSource } from './table-source.ts';

let folder: string;
let seed: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'prepare-tables-'));
  seed = join(folder, 'seed.csv');
  writeFileSync(seed, 'n\n1\n2\n3\n4\n5\n');
});

afterEach(() => rmSync(folder, { recursive: true }));

async function source(path = seed, more: Partial<TableSource> = {}): Promise<TableSource> {
  const { columns, source: rows } = await inspectTable([path], { format: 'csv', isCounted: false });
  if (!columns || !rows) throw new Error('It cannot be read.');
  return { id: 'seed', fields: columns, rows, order: 'ordered', selection: null, filters: [], ...more };
}

const paths = () => datasetPaths(join(folder, 'dataset'));

function prepare(table: TableSource, rows: number, prior: readonly TableRecord[] = []) {
  const { table: file, scratch, folder: path } = paths();
  const signal = new AbortController().signal;
  return prepareTables([table], { file, scratch, resumable: { path, prior } }, { run: { rows, seed: 1 }, signal });
}

test('records a table with its source, private to its owner, and leaves no other files', async () => {
  const { files, records } = await prepare(await source(), 3);
  const path = paths().table('seed');
  expect(files).toEqual([{ id: 'seed', path, rows: 3 }]);
  const { size, mtimeMs } = statSync(seed);
  expect(records).toEqual([
    {
      id: 'seed',
      rows: 3,
      covers: 3,
      bytes: statSync(path).size,
      source: { files: [{ path: seed, size, mtimeMs, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string }] },
      taken: { order: 'ordered', first: 0, rows: 3 },
    },
  ]);
  expect(readdirSync(join(folder, 'dataset', 'seed'))).toEqual(['part-00000.parquet']);
  const isOpen = process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0;
  expect(isOpen).toBe(false);
});

test('reuses a table with enough rows', async () => {
  const { records } = await prepare(await source(), 3);
  const path = paths().table('seed');
  const { ino } = statSync(path);
  expect((await prepare(await source(), 3, records)).records).toEqual(records);
  expect((await prepare(await source(), 2, records)).files[0]?.rows).toBe(3);
  expect(statSync(path).ino).toBe(ino);
});

test('reuses an ordered table with all rows for any run, and a shuffled one only for its rows', async () => {
  const ordered = await prepare(await source(), 9);
  expect((await prepare(await source(), 90, ordered.records)).records).toEqual(ordered.records);
  const shuffled = await prepare(await source(seed, { order: 'shuffle' }), 9);
  expect((await prepare(await source(seed, { order: 'shuffle' }), 90, shuffled.records)).files[0]?.rows).toBe(90);
});

test('makes a table again if it is too short, damaged or missing', { tags: 'long' }, async () => {
  const { records } = await prepare(await source(), 2);
  expect((await prepare(await source(), 4, records)).files[0]?.rows).toBe(4);
  appendFileSync(paths().table('seed'), 'x');
  expect((await prepare(await source(), 2, records)).records).toEqual(records);
  rmSync(paths().table('seed'));
  expect((await prepare(await source(), 2, records)).records).toEqual(records);
});

test('accepts a source that was only touched or moved', async () => {
  const { records } = await prepare(await source(), 2);
  utimesSync(seed, 1, 1);
  const touched = await prepare(await source(), 5, records);
  const moved = join(folder, 'moved.csv');
  writeFileSync(moved, readFileSync(seed));
  const elsewhere = await prepare(await source(moved), 5, records);
  expect([touched, elsewhere].map(({ files }) => files[0]?.rows)).toEqual([5, 5]);
});

test('refuses a changed source by name and keeps the table', async () => {
  const { records } = await prepare(await source(), 2);
  const before = readFileSync(paths().table('seed'));
  writeFileSync(seed, 'n\n1\n2\n3\n4\n6\n');
  const changed = prepare(await source(), 5, records);
  await expect(changed).rejects.toMatchObject({ code: 'dataset/incompatible' });
  await expect(changed).rejects.toThrow(/seed\.csv has changed: it was written on .* and has other content/);
  writeFileSync(seed, 'n\n1\n2\n3\n4\n5\n6\n');
  await expect(prepare(await source(), 5, records)).rejects.toThrow('it has 14 bytes, not 12');
  expect(readFileSync(paths().table('seed'))).toEqual(before);
});

test('refuses a changed set of files by the name of a file', async () => {
  const two = join(folder, 'two.csv');
  writeFileSync(two, 'n\n6\n');
  const { columns, source: rows } = await inspectTable([seed, two], { format: 'csv', isCounted: false });
  const both = { ...(await source()), fields: columns ?? [], ...(rows ? { rows } : {}) };
  const { records } = await prepare(both, 2);
  await expect(prepare(await source(), 2, records)).rejects.toThrow(`${two} is gone`);
  const one = await prepare(await source(), 2);
  await expect(prepare(both, 2, one.records)).rejects.toThrow(`${two} was not there`);
});

const inMemory = (...rows: { readonly n: number }[]): TableSource => {
  const fields = arrowOfRows(rows);
  if ('what' in fields) throw new Error(fields.what);
  return { id: 'seed', fields, rows: arrayRows(rows, fields), order: 'ordered', selection: null, filters: [] };
};

test('compares rows in memory by their hash', async () => {
  const { records } = await prepare(inMemory({ n: 1 }, { n: 2 }), 1);
  expect(records[0]?.source).toEqual({ files: [], sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
  expect((await prepare(inMemory({ n: 1 }, { n: 2 }), 2, records)).files[0]?.rows).toBe(2);
  await expect(prepare(inMemory({ n: 1 }, { n: 3 }), 2, records)).rejects.toThrow('rows in memory differ from those');
});

test('records nothing for a run that cannot be continued', async () => {
  const { table: file, scratch } = paths();
  const run = { run: { rows: 2, seed: 1 }, signal: new AbortController().signal };
  const { files, records } = await prepareTables([await source()], { file, scratch }, run);
  expect([files[0]?.rows, records]).toEqual([2, []]);
});

test('gives tables with similar names different files', () => {
  const { table } = paths();
  expect(new Set(['a b', 'a-b', 'A b', '../a', 'seed'].map((id) => table(id).toLowerCase())).size).toBe(5);
  expect(table('../../etc')).toContain(join('dataset', 'seed', '-etc-'));
});
