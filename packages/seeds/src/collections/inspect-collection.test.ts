import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CellValue, CollectionFilter } from '@data-designer/core';
import { withDuckDb } from '../duck-db/with-duck-db.ts';
import { inspectCollection } from './inspect-collection.ts';
import { prepareTables } from '../tables/prepare-tables.ts';
import { tablesReader } from '../tables/table-reader.ts';

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'collections-'));
  const people = `SELECT i AS id, CASE i % 4 WHEN 0 THEN 'Female' ELSE 'Male' END AS sex, 18 + i % 50 AS age,
    CASE WHEN i % 4 = 0 THEN 'Ms' END AS title, NULL::VARCHAR AS empty FROM range(400) r(i)`;
  await withDuckDb((connection) => connection.run(`COPY (${people}) TO '${join(folder, 'xx_XX.parquet')}'`));
  writeFileSync(join(folder, 'broken.parquet'), 'no Parquet at all');
});

afterAll(() => rmSync(folder, { recursive: true }));

const COLUMNS = ['id', 'sex', 'age', 'title', 'empty'];

const ask = (filters: readonly CollectionFilter[], options: { rows?: number; collection?: string } = {}) => {
  const { collection = 'xx_XX', ...rest } = options;
  return inspectCollection({ table: 'buyer', collection, filters, needs: [], columns: COLUMNS }, { folder, ...rest });
};

const finding = async (asked: ReturnType<typeof ask>) => {
  const seen = await asked;
  return 'finding' in seen ? seen.finding : undefined;
};

const women = { column: 'sex', oneOf: ['Female'] };

test('draws the rows that pass the filters in random order, each once, without empty columns', async () => {
  const seen = await ask([women, { column: 'age', from: 20, to: 30 }], { rows: 20 });
  if (!('source' in seen)) throw new Error(seen.finding.message);
  const { source } = seen;
  expect(source.fields.map(({ name }) => name)).toEqual(['id', 'sex', 'age', 'title']);
  const file = join(folder, 'made', 'part.parquet');
  const run = { run: { rows: 20, seed: 5 }, signal: new AbortController().signal };
  const { files } = await prepareTables([source], { file: () => file, scratch: join(folder, 'tmp') }, run);
  const columns = (await tablesReader([source], files)({ firstRow: 0, rows: 20 })).get('buyer');
  const read = (name: string) => Array.from<CellValue>(columns?.get(name) ?? []);
  expect(new Set(read('id')).size).toBe(20);
  expect(read('id')).not.toEqual(read('id').toSorted((a, b) => Number(a) - Number(b)));
  expect(new Set(read('sex'))).toEqual(new Set(['Female']));
  expect(read('age').every((age) => Number(age) >= 20 && Number(age) <= 30)).toBe(true);
});

test('leaves out a column that is null in all selected rows', async () => {
  const seen = await ask([{ column: 'sex', oneOf: ['Male'] }]);
  expect('source' in seen && seen.source.fields.map(({ name }) => name)).toEqual(['id', 'sex', 'age']);
});

test('ignores unused columns and requires the needed ones', async () => {
  const request = { table: 'buyer', collection: 'xx_XX', filters: [women] };
  const seen = await inspectCollection({ ...request, needs: ['id'], columns: ['id', 'age', 'shoes'] }, { folder });
  expect('source' in seen && seen.source.fields.map(({ name }) => name)).toEqual(['id', 'age']);
  expect(await finding(inspectCollection({ ...request, needs: ['name'], columns: COLUMNS }, { folder }))).toEqual({
    type: 'collection_column_missing',
    message: "the collection 'xx_XX' has no column 'name', which is needed.",
    remedy: 'Install it again.',
  });
});

test('reports too few rows with the number found and the number wanted', async () => {
  expect(await finding(ask([women], { rows: 101 }))).toEqual({
    type: 'collection_too_small',
    message: "100 rows of the collection 'xx_XX' match the filters, but 101 different rows are needed.",
    remedy: 'Use wider filters or fewer rows.',
  });
  expect(await finding(ask([women], { rows: 100 }))).toBeUndefined();
  expect((await finding(ask([{ column: 'sex', oneOf: [] }])))?.message).toMatch(/^0 rows/);
  expect((await finding(ask([], { rows: 500 })))?.message).toMatch(/^400 rows of .* exist, but 500/);
});

test('reports a missing collection with its path and the installed ones', async () => {
  expect(await finding(ask([], { collection: 'yy_YY' }))).toEqual({
    type: 'collection_missing',
    message: `the collection 'yy_YY' is not installed: there is no file ${join(folder, 'yy_YY.parquet')}.`,
    remedy: 'Installed: broken, xx_XX. Save its Parquet file there.',
  });
  mkdirSync(join(folder, 'none'), { recursive: true });
  const none = await inspectCollection(
    { table: 't', collection: '../xx_XX', filters: [], needs: [], columns: [] },
    { folder: join(folder, 'none') },
  );
  expect('finding' in none && none.finding.remedy).toContain('No collection is installed.');
});

test('reports a broken collection and a missing filter column', async () => {
  expect((await finding(ask([], { collection: 'broken' })))?.message).toContain('broken.parquet cannot be read');
  expect(await finding(ask([{ column: 'agee', from: 1, to: 2 }]))).toMatchObject({
    type: 'collection_column_missing',
    remedy: "Did you mean 'age'?",
  });
});
