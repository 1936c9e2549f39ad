import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { field, isFailure } from '@data-designer/core';
import { countRows, readRows } from './read-parquet.ts';
import { writeDataFile } from '../../../test/data-files.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-rows-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function duckDb(sql: string): Promise<void> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(sql);
  connection.closeSync();
}

async function collect(rows: AsyncIterable<unknown>): Promise<unknown[]> {
  const collected = [];
  for await (const row of rows) collected.push(row);
  return collected;
}

const fields = [field('n', 'int64'), field('any', 'utf8', { json: true })];

async function numbersFile(name: string, numbers: readonly number[]): Promise<string> {
  const path = join(folder, name);
  const columns = new Map<string, readonly (number | object)[]>([
    ['n', numbers],
    ['any', numbers.map((n) => ({ n }))],
  ]);
  await writeDataFile(path, { fields, columns: columns as never, rows: numbers.length });
  return path;
}

test('files are read one after the other, in the order given', async () => {
  const paths = [await numbersFile('b', [3, 4]), await numbersFile('empty', []), await numbersFile('a', [1])];
  const rows = [3, 4, 1].map((n) => ({ n, any: { n } }));
  expect(await collect(readRows(paths))).toEqual(rows);
  expect(await Promise.all(paths.map(countRows))).toEqual([2, 0, 1]);
});

test('a reader may stop early: later files are not opened', async () => {
  const read = [];
  for await (const row of readRows([await numbersFile('first', [1, 2]), join(folder, 'not-there')])) {
    read.push(row['n']);
    if (read.length === 2) break;
  }
  expect(read).toEqual([1, 2]);
});

test('files of another writer with several row groups and any compression are read', { tags: 'long' }, async () => {
  for (const compression of ['snappy', 'zstd', 'gzip', 'uncompressed']) {
    const path = join(folder, `${compression}.parquet`);
    await duckDb(
      `copy (select i, 'x' || i as text, [i, null] as list, {'a': i} as struct from range(5000) t(i))
       to '${path}' (format parquet, compression ${compression}, row_group_size 2048)`,
    );
    const rows = await collect(readRows([path]));
    expect(rows.length).toBe(5000);
    expect(rows[4321]).toEqual({ i: 4321, text: 'x4321', list: [4321, null], struct: { a: 4321 } });
  }
});

test('the given fields mark JSON text in files without metadata', async () => {
  const merged = join(folder, 'merged.parquet');
  await duckDb(`copy (from '${await numbersFile('source.parquet', [7])}') to '${merged}' (format parquet)`);
  expect(await collect(readRows([merged]))).toEqual([{ n: 7, any: '{"n":7}' }]);
  expect(await collect(readRows([merged], { fields }))).toEqual([{ n: 7, any: { n: 7 } }]);
});

test('the error names a damaged or missing file', async () => {
  const damaged = join(folder, 'damaged.parquet');
  await writeFile(damaged, 'PAR1 this is not one PAR1');
  for (const path of [damaged, join(folder, 'missing.parquet')]) {
    const error = await collect(readRows([path])).catch((thrown: unknown) => thrown);
    expect(isFailure(error, 'dataset/damaged') && error.data.path).toBe(path);
  }
});

test('only the given fields are read', async () => {
  const [n] = fields;
  const path = await numbersFile('two-columns', [5, 6]);
  expect(await collect(readRows([path], { fields: n ? [n] : [] }))).toEqual([{ n: 5 }, { n: 6 }]);
});

test('a text keeps U+FEFF at its begin', async () => {
  const path = join(folder, 'marked.parquet');
  const texts = ['\uFEFFa', 'a', '\uFEFF'];
  await writeDataFile(path, { fields: [field('text', 'utf8')], columns: new Map([['text', texts]]), rows: 3 });
  expect(await collect(readRows([path]))).toEqual(texts.map((text) => ({ text })));
});
