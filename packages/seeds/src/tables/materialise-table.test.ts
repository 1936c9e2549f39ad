import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TableFormat } from '@data-designer/config';
import { type CellValue, field } from '@data-designer/core';
import { inspectTable } from '../files/inspect-table.ts';
import { withDuckDb } from '../duck-db/with-duck-db.ts';
import { materialiseTable } from './materialise-table.ts';
import { tablesReader } from './table-reader.ts';
import type { TableSource } from './table-source.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'materialise-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Writes the result of a query as a Parquet file. */
async function parquet(sql: string, name = 'source.parquet'): Promise<string> {
  const path = join(folder, name);
  await withDuckDb((connection) => connection.run(`COPY (${sql}) TO '${path}'`));
  return path;
}

async function sourceOf(path: string, more: Partial<TableSource> = {}): Promise<TableSource> {
  const format = path.slice(path.lastIndexOf('.') + 1) as TableFormat;
  const { columns, source } = await inspectTable([path], { format, isCounted: false });
  if (!columns || !source) throw new Error('It cannot be read.');
  return { id: 'seed', fields: columns, rows: source, order: 'ordered', selection: null, filters: [], ...more };
}

/** The rows of a run as workers read them, in one range unless more are given. */
async function rowsOf(
  source: TableSource,
  run: { rows: number; seed?: number },
  ranges = [run.rows],
): Promise<CellValue[][]> {
  const path = join(folder, 'table.parquet');
  const scratch = join(folder, 'scratch');
  mkdirSync(scratch);
  const context = { scratch, signal: new AbortController().signal };
  const { rows } = await materialiseTable(source, path, { run: { seed: 1, ...run }, context });
  rmSync(scratch, { recursive: true });
  const read = tablesReader([{ id: 'seed', fields: source.fields }], [{ id: 'seed', path, rows }]);
  const all: CellValue[][] = [];
  let firstRow = 0;
  for (const count of ranges) {
    const columns = [...((await read({ firstRow, rows: count })).get('seed')?.values() ?? [])];
    for (let row = 0; row < count; row++) all.push(columns.map((column) => column[row] as CellValue));
    firstRow += count;
  }
  return all;
}

const cell = async (sql: string): Promise<CellValue | undefined> =>
  (await rowsOf(await sourceOf(await parquet(`SELECT ${sql} AS x`)), { rows: 1 }))[0]?.[0];

/** A number that a float rounds. */
const LONG = '12345678901234567890.1234567890::DECIMAL(38, 10)';

test.each<[string, CellValue]>([
  ["DATE '2024-01-02'", '2024-01-02'],
  ["TIMESTAMP '2024-01-02 03:04:05'", '2024-01-02T03:04:05'],
  ["TIMESTAMP '2024-01-02 03:04:05.25'", '2024-01-02T03:04:05.250000'],
  ["TIMESTAMP '0044-03-15 01:02:03'", '0044-03-15T01:02:03'],
  ["TIMESTAMP_NS '2024-01-02 03:04:05.123456789'", '2024-01-02T03:04:05.123456789'],
  ["TIMESTAMP_NS '2024-01-02 03:04:05'", '2024-01-02T03:04:05'],
  ["TIMESTAMPTZ '2024-01-02 03:04:05+02'", '2024-01-02T01:04:05+00:00'],
  ["TIME '03:04:05'", '03:04:05'],
  ['12.50::DECIMAL(5, 2)', 12.5],
  ['0.5::FLOAT', 0.5],
  ['7::UTINYINT', 7],
  ['9007199254740993::BIGINT', 9007199254740993n],
  ['true', true],
  ["'Grüße\n\"'::VARCHAR", 'Grüße\n"'],
  ["'abc'::BLOB", 'abc'],
  ["'\\xAA'::BLOB", 'qg=='],
  ["'a\\x00b'::BLOB", 'YQBi'],
  ["'Gr\\xC3\\xBC\\xC3\\x9Fe'::BLOB", 'Grüße'],
  ["['\\x89PNG'::BLOB, 'text'::BLOB, NULL]", ['iVBORw==', 'dGV4dA==', null]],
  ["{'bytes': 'text'::BLOB, 'path': 'a.png'}", { bytes: 'dGV4dA==', path: 'a.png' }],
  ["{'path': 'a.png', 'bytes': NULL::BLOB}", { path: 'a.png', bytes: null }],
  ["[{'bytes': '\\x89PNG'::BLOB, 'path': NULL::VARCHAR}]", [{ bytes: 'iVBORw==', path: null }]],
  ["{'bytes': 'text'::BLOB, 'path': 'a', 'more': 1}", { bytes: 'text', path: 'a', more: 1 }],
  ["{'bytes': 'text'::BLOB, 'name': 'a'}", { bytes: 'text', name: 'a' }],
  ["{'bytes': '\\x89'::BLOB, 'name': 'a'}", { bytes: 'iQ==', name: 'a' }],
  ["MAP {'k': ['\\x89'::BLOB], 'l': ['a'::BLOB, NULL], 'm': NULL}", { k: ['iQ=='], l: ['YQ==', null], m: null }],
  ["MAP {'k': 'a'::BLOB}", { k: 'a' }],
  ["'5e9ff2c0-8d4a-4d5e-9d6f-0123456789ab'::UUID", '5e9ff2c0-8d4a-4d5e-9d6f-0123456789ab'],
  ["[DATE '2024-01-02', NULL]", ['2024-01-02', null]],
  ["[[TIMESTAMP '2024-01-02 03:04:05'], [], NULL]", [['2024-01-02T03:04:05'], [], null]],
  [
    "{'a': TIMESTAMP '2024-01-02 03:04:05', 'B': {'b': 1, 'c': NULL::VARCHAR}}",
    { a: '2024-01-02T03:04:05', B: { b: 1, c: null } },
  ],
  ["[{'t': DATE '2024-01-02', 'n': 3}, NULL]", [{ t: '2024-01-02', n: 3 }, null]],
  ["MAP {'k': TIMESTAMP '2024-01-02 03:04:05'}", { k: '2024-01-02T03:04:05' }],
  ["MAP {TIMESTAMP '2024-01-02 03:04:05': 'nan'}", { '2024-01-02T03:04:05': 'nan' }],
  [`[${LONG}, NULL]`, ['12345678901234567890.1234567890', null]],
  [`[[1.25::DECIMAL(38, 10)]]`, [[1.25]]],
  [`{'a': ${LONG}, 'b': [1.25::DECIMAL(38, 10)]}`, { a: '12345678901234567890.1234567890', b: [1.25] }],
  [`MAP {'k': ${LONG}, 'l': NULL}`, { k: '12345678901234567890.1234567890', l: null }],
  [
    `MAP {'k': {'d': ${LONG}, 't': TIMESTAMP_NS '2024-01-02 03:04:05.123456789', 'n': NULL::DOUBLE}}`,
    { k: { d: '12345678901234567890.1234567890', t: '2024-01-02T03:04:05.123456789', n: null } },
  ],
  ['[5::UBIGINT, NULL]', [5, null]],
  ['[18446744073709551615::UBIGINT, 5]', ['18446744073709551615', '5']],
  ["MAP {'k': 18446744073709551615::UBIGINT}", { k: 18446744073709551615n }],
])('converts %s', { tags: 'long' }, async (sql, expected) => {
  expect(await cell(sql)).toEqual(expected);
});

test.each([
  "MAP {'k': 'nan'::DOUBLE}",
  "[MAP {'k': [1.5::FLOAT, '-inf'::FLOAT]}]",
  "{'m': MAP {'k': {'f': 'inf'::DOUBLE}}}",
])('refuses %s, as JSON holds no such number', async (sql) => {
  const path = await parquet(
    `SELECT MAP {'k': 1.0::DOUBLE} AS y, CASE WHEN i = 1 THEN ${sql} END AS x FROM range(3) r(i)`,
  );
  const { findings } = await inspectTable([path], { format: 'parquet', isCounted: false });
  expect(findings).toMatchObject([{ level: 'ERROR' }]);
  expect(findings[0]?.message).toContain("column 'x' has NaN or an infinity within JSON or a map in row 2");
});

/** 5001 rows of bytes, of which the last one differs. */
const late = (last: string) =>
  `SELECT CASE WHEN i = 5000 THEN ${last} ELSE 'text'::BLOB END AS x FROM range(5001) r(i)`;

/** The different cells of all rows of Parquet files, and the findings. */
const read = async (...paths: readonly string[]) => {
  const { columns = [], source: rows, findings } = await inspectTable(paths, { format: 'parquet', isCounted: false });
  if (!rows) throw new Error('It cannot be read.');
  const source = { id: 'seed', fields: columns, rows, order: 'ordered', selection: null, filters: [] } as const;
  const cells = (await rowsOf(source, { rows: 6 * 5001 })).map(([value]) => value);
  return { seen: [...new Set(cells)], findings: findings.map(({ level, type }) => `${level} ${type}`) };
};

test(
  'a column of bytes has one form in all rows and files, and is warned of where early rows are text',
  { tags: 'long' },
  async () => {
    const text = await parquet(late("'last'::BLOB"), 'text.parquet');
    const binary = await parquet(late("'\\xAA'::BLOB"), 'binary.parquet');
    const pictures = await parquet("SELECT unnest([NULL, '\\x89PNG'::BLOB, ''::BLOB]) AS x", 'pictures.parquet');
    const others = await parquet("SELECT 'y'::BLOB AS x, 1 AS n FROM range(2)", 'others.parquet');
    expect(await read(text)).toEqual({ seen: ['text', 'last'], findings: [] });
    expect(await read(binary)).toEqual({ seen: ['dGV4dA==', 'qg=='], findings: ['WARNING seed_bytes_mixed'] });
    expect(await read(pictures)).toEqual({ seen: [null, 'iVBORw==', ''], findings: [] });
    expect((await read(text, pictures)).seen).toEqual(['dGV4dA==', 'bGFzdA==', null, 'iVBORw==', '']);
    expect((await read(others, pictures)).seen).toEqual(['eQ==', null, 'iVBORw==', '']);
    expect((await read(others, text)).seen).toEqual(['y', 'text', 'last']);
  },
);

test('keeps nulls in columns of every type', async () => {
  const path = await parquet(
    "SELECT * FROM (VALUES (1, 1.5, 'a', true, DATE '2024-01-02', [1], {'m': 1}), (NULL, NULL, NULL, NULL, NULL, NULL, NULL)) t",
  );
  expect(await rowsOf(await sourceOf(path), { rows: 2 })).toEqual([
    [1, 1.5, 'a', true, '2024-01-02', [1], { m: 1 }],
    [null, null, null, null, null, null, null],
  ]);
});

test('distinguishes integral floats within lists and structs from integers', async () => {
  const value = (await cell("{'f': [1.0::DOUBLE, 2.5], 'i': [1]}")) as { readonly f: readonly unknown[] };
  expect(value.f.map(String)).toEqual(['1.0', '2.5']);
});

test('stores a column with integers beyond 64 bits as text', async () => {
  const path = join(folder, 'wide.json');
  writeFileSync(path, '[{"n":1},{"n":18446744073709551615}]');
  expect(await rowsOf(await sourceOf(path), { rows: 2 })).toEqual([['1'], ['18446744073709551615']]);
});

const NUMBERED = "SELECT i AS n, 'row ' || i AS t FROM range(25000) r(i)";

test('starts an ordered table again after the last row, whatever the ranges', async () => {
  const source = await sourceOf(await parquet('SELECT i AS n FROM range(5) r(i)'));
  const expected = Array.from({ length: 23 }, (_, row) => row % 5);
  expect((await rowsOf(source, { rows: 23 })).flat()).toEqual(expected);
  expect((await rowsOf(source, { rows: 23 }, [3, 1, 7, 12])).flat()).toEqual(expected);
});

test('reads ranges over several row groups', async () => {
  const source = await sourceOf(await parquet(NUMBERED));
  const rows = await rowsOf(source, { rows: 30_000 }, [9_000, 21_000]);
  expect(rows.every(([n, t], row) => n === row % 25_000 && t === `row ${row % 25_000}`)).toBe(true);
});

test.each<[TableSource['selection'], number, number]>([
  [{ start: 3, end: 6 }, 3, 4],
  [{ start: 24_999, end: 24_999 }, 24_999, 1],
  [{ index: 1, numPartitions: 3 }, 8333, 8333],
  [{ index: 2, numPartitions: 3 }, 16_666, 8334],
  [{ index: 0, numPartitions: 1 }, 0, 25_000],
])('the selection %j starts at row %d and has %d rows', { tags: 'long' }, async (selection, first, count) => {
  const source = await sourceOf(await parquet(NUMBERED), { selection });
  const rows = await rowsOf(source, { rows: count + 1 });
  expect([rows[0]?.[0], rows.at(-2)?.[0] ?? first, rows.at(-1)?.[0]]).toEqual([
    first,
    count === 1 ? first : first + count - 1,
    first,
  ]);
});

test.each<TableSource['selection']>([null, { start: 3, end: 12_000 }, { index: 1, numPartitions: 3 }])(
  'gives the rows of a plain CSV file in the order and selection %j that DuckDB gives',
  { tags: 'long' },
  async (selection) => {
    const lines = Array.from({ length: 15_000 }, (_, id) => `${id},${id % 3 === 0 ? '' : `number-${id}`},${id}.5`);
    const path = join(folder, 'plain.csv');
    writeFileSync(path, ['id,name,half', ...lines, ''].join('\n'));
    const plain = await sourceOf(path, { selection });
    expect(plain.rows.plain).toBeDefined();
    const { plain: _, ...rows } = plain.rows;
    const run = { rows: 16_000 };
    expect(await rowsOf(plain, run)).toEqual(await rowsOf({ ...plain, rows }, run));
  },
);

test('writes no more rows than the run needs', async () => {
  await rowsOf(await sourceOf(await parquet(NUMBERED)), { rows: 10 });
  expect(statSync(join(folder, 'table.parquet')).size).toBeLessThan(2000);
});

test('shuffles every row once per pass, each pass in another order, whatever the length of the run', async () => {
  const source = await sourceOf(await parquet('SELECT i AS n FROM range(100) r(i)'), { order: 'shuffle' });
  const rows = (await rowsOf(source, { rows: 250 })).flat() as number[];
  const passes = [rows.slice(0, 100), rows.slice(100, 200)];
  for (const pass of passes) expect(pass.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n));
  expect(passes[0]).not.toEqual(passes[1]);
  expect(new Set(rows.slice(200)).size).toBe(50);
  expect((await rowsOf(source, { rows: 30 })).flat()).toEqual(rows.slice(0, 30));
  expect((await rowsOf(source, { rows: 30, seed: 2 })).flat()).not.toEqual(rows.slice(0, 30));
  expect((await rowsOf({ ...source, id: 'other' }, { rows: 30 })).flat()).not.toEqual(rows.slice(0, 30));
});

test('keeps the order of shuffles across versions', async () => {
  const source = await sourceOf(await parquet('SELECT i AS n FROM range(12) r(i)'), { order: 'shuffle' });
  expect((await rowsOf(source, { rows: 18, seed: 7 })).flat()).toMatchInlineSnapshot(`
    [
      9,
      7,
      0,
      5,
      10,
      8,
      1,
      2,
      4,
      6,
      11,
      3,
      11,
      2,
      8,
      9,
      1,
      0,
    ]
  `);
});

test('filters, then selects, then shuffles', async () => {
  const all = await parquet("SELECT i AS age, CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END AS kind FROM range(100) r(i)");
  const taken = await sourceOf(all, { order: 'shuffle', selection: { start: 10, end: 19 } });
  expect(new Set((await rowsOf(taken, { rows: 10 })).map(([n]) => n))).toEqual(
    new Set(Array.from({ length: 10 }, (_, n) => n + 10)),
  );
  const filters = [
    { column: 'kind', oneOf: ["b'c", 'b'] },
    { column: 'age', from: 10, to: 15 },
  ];
  const filtered = await sourceOf(all, { order: 'shuffle', filters });
  expect((await rowsOf(filtered, { rows: 3 })).map(([n]) => Number(n)).toSorted((a, b) => a - b)).toEqual([11, 13, 15]);
});

test('accepts any column names, also those used for the order', async () => {
  const path = await parquet(
    `SELECT 1 AS "row_index", 2 AS "PASS", 3 AS "q""'; --", 4 AS "a.b", 5 AS "__proto__", 6 AS " "`,
  );
  const source = await sourceOf(path, { order: 'shuffle' });
  expect(source.fields.map(({ name }) => name)).toEqual(['row_index', 'PASS', `q"'; --`, 'a.b', '__proto__', ' ']);
  expect(await rowsOf(source, { rows: 1 })).toEqual([[1, 2, 3, 4, 5, 6]]);
});

test('refuses a file that changed after its inspection', async () => {
  const path = await parquet(NUMBERED);
  const source = await sourceOf(path);
  writeFileSync(path, 'something else');
  await expect(rowsOf(source, { rows: 1 })).rejects.toMatchObject({ code: 'seed/unreadable' });
  rmSync(path);
  rmSync(join(folder, 'scratch'), { recursive: true });
  await expect(rowsOf(source, { rows: 1 })).rejects.toThrow('the file no longer exists');
});

test('reports an error far down in a file and writes nothing', async () => {
  const path = join(folder, 'late.csv');
  writeFileSync(path, `n\n${Array.from({ length: 50_000 }, (_, n) => n).join('\n')}\nx\n`);
  const rows: TableSource['rows'] = {
    name: path,
    files: [],
    open: () => Promise.resolve({ sql: `read_csv('${path}', header = true, columns = {n: 'BIGINT'})`, columns: ['n'] }),
  };
  const source = {
    id: 'seed',
    fields: [field('n', 'int64')],
    rows,
    order: 'ordered',
    selection: null,
    filters: [],
  } as const;
  const failure = rowsOf(source, { rows: 60_000 });
  await expect(failure).rejects.toMatchObject({ code: 'seed/unreadable' });
  await expect(failure).rejects.toThrow(/late\.csv: .*Line/);
  expect(readdirSync(folder)).not.toContain('table.parquet');
});

test('stops at once when aborted', { tags: 'long' }, async () => {
  const source = await sourceOf(await parquet("SELECT i AS n, repeat('x', 100) AS t FROM range(3000000) r(i)"), {
    order: 'shuffle',
  });
  const stop = new AbortController();
  const scratch = join(folder, 'scratch');
  mkdirSync(scratch);
  const context = { scratch, signal: stop.signal };
  const working = materialiseTable(source, join(folder, 'table.parquet'), {
    run: { rows: 9_000_000, seed: 1 },
    context,
  });
  while (readdirSync(scratch).length === 0) await sleep(1);
  stop.abort(new Error('enough'));
  await expect(working).rejects.toThrow('enough');
  expect(readdirSync(folder)).not.toContain('table.parquet');
});
