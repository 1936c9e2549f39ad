import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { tableFromIPC, Vector } from 'apache-arrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ArrowField,
  type Batch,
  type CellValue,
  type ColumnData,
  field,
  Float,
  TRACE_MESSAGE,
  traceCell,
} from '@data-designer/core';
import { pageDecompressors } from '../formats/parquet/parquet-codec.ts';
import { readRows } from '../formats/parquet/read-parquet.ts';
import { fileBytes, writeDataFile } from '../../test/data-files.ts';
import { streamBytes } from '../write.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'every-type-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A field, its stored values, and the values that every reader must return. */
interface Case {
  readonly field: ArrowField;
  readonly stored: ColumnData;
  readonly read: readonly unknown[];
}

const BIG = 9_007_199_254_740_993n;
const same = (declared: ArrowField, values: readonly CellValue[]): Case => ({
  field: declared,
  stored: values,
  read: values,
});
const none = undefined as unknown as CellValue;

const POINT = { struct: [field('x', 'int64'), field('label', 'utf8', { nullable: false })] } as const;
const DEEP = {
  struct: [
    field('tags', { list: 'utf8' }),
    field('inner', { struct: [field('flag', 'bool'), field('items', { list: { list: 'float64' } })] }),
  ],
} as const;

/** Four rows of every type, with nulls at every level. */
const CASES: readonly Case[] = [
  same(field('text', 'utf8'), ['plain', '', null, 'Grüße 🙂 漢字 \u0000 end']),
  same(field('required', 'utf8', { nullable: false }), ['a', 'b', 'c', 'd']),
  same(field('nothing', 'null'), [null, null, null, null]),
  same(field('no_items', { list: 'null' }), [[], null, [], [null]]),
  same(field('flag', 'bool'), [true, null, false, true]),
  same(field('flag_required', 'bool', { nullable: false }), [true, false, false, true]),
  {
    field: field('int', 'int64'),
    stored: [1, BIG, none, new Float(-7)],
    read: [1, BIG, null, -7],
  },
  same(field('int_bounds', 'int64'), [2n ** 63n - 1n, -(2n ** 63n), -1, Number.MIN_SAFE_INTEGER]),
  { field: field('int_typed', 'int64'), stored: BigInt64Array.of(1n, -2n, 3n, BIG), read: [1, -2, 3, BIG] },
  { field: field('int_small', 'int64'), stored: Int32Array.of(1, -2, 3, 2 ** 31 - 1), read: [1, -2, 3, 2 ** 31 - 1] },
  {
    field: field('float', 'float64'),
    stored: [0.5, new Float(3), null, Infinity],
    read: [0.5, 3, null, Infinity],
  },
  {
    field: field('float_typed', 'float64'),
    stored: Float64Array.of(1, NaN, -0.25, 1e300),
    read: [1, NaN, -0.25, 1e300],
  },
  { field: field('float_of_int', 'float64'), stored: [1, 2n, 3, 4], read: [1, 2, 3, 4] },
  same(field('list', { list: 'utf8' }), [['a', null, 'ü'], [], null, ['']]),
  same(field('ints', { list: 'int64' }), [[1, null, BIG], [], null, [-1]]),
  same(field('lists', { list: { list: 'bool' } }), [[[true], [], null], [], null, [[null]]]),
  same(field('point', POINT), [{ x: 1, label: 'one' }, null, { x: null, label: '' }, { x: BIG, label: 'big' }]),
  {
    field: field('point_partial', POINT),
    stored: [{ label: 'no x' }, { x: none, label: 'x undefined' }, { x: 2, label: 'more', other: true }, null],
    read: [{ x: null, label: 'no x' }, { x: null, label: 'x undefined' }, { x: 2, label: 'more' }, null],
  },
  same(field('points', { list: POINT }), [[{ x: 1, label: 'one' }, null], [], null, [{ x: null, label: 'two' }]]),
  {
    field: field('deep', DEEP),
    stored: [
      { tags: ['t'], inner: { flag: true, items: [[1.5, null], [], null] } },
      { tags: [], inner: null },
      null,
      {},
    ],
    read: [
      { tags: ['t'], inner: { flag: true, items: [[1.5, null], [], null] } },
      { tags: [], inner: null },
      null,
      { tags: null, inner: null },
    ],
  },
  {
    field: field('inherited', { struct: [field('constructor', 'utf8'), field('toString', 'int64')] }),
    stored: [{}, { constructor: 'mine' }, { toString: 1 }, null],
    read: [
      { constructor: null, toString: null },
      { constructor: 'mine', toString: null },
      { constructor: null, toString: 1 },
      null,
    ],
  },
  same(field('all_null', 'utf8'), [null, null, null, null]),
  same(field('all_null_int', 'int64'), [null, null, null, null]),
  same(field('all_null_list', { list: POINT }), [null, null, null, null]),
  same(field('dotted.name', { list: 'utf8' }), [['x'], [], null, ['y', 'z']]),
];

const BATCH: Batch = {
  fields: CASES.map((entry) => entry.field),
  columns: new Map(CASES.map((entry) => [entry.field.name, entry.stored])),
  rows: 4,
};
const EXPECTED = Array.from({ length: 4 }, (_, row) =>
  Object.fromEntries(CASES.map((entry) => [entry.field.name, entry.read[row]])),
);

/** Normalises the values of a reader: safe `bigint`s, missing members and row proxies. */
function plain(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
}

/** Arrow rows as plain values; lists come as vectors, structs as proxies that list their own members. */
function plainArrow(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return plain(value);
  if (value instanceof Vector) return Array.from(value as Iterable<unknown>, plainArrow);
  return Object.fromEntries(
    [...(value as Iterable<[string, unknown]>)].map(([name, part]) => [name, plainArrow(part)]),
  );
}

async function readWithHyparquet(path: string): Promise<unknown> {
  const file = await asyncBufferFromFile(path);
  return plain(await parquetReadObjects({ file, compressors: pageDecompressors }));
}

async function queryDuckDb(sql: string): Promise<unknown> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  try {
    return plain((await connection.runAndReadAll(sql)).getRowObjectsJS());
  } finally {
    connection.closeSync();
  }
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

function rowsOfArrow(bytes: Uint8Array): unknown {
  return tableFromIPC(bytes).toArray().map(plainArrow);
}

async function parquetFile(name: string, batch: Batch): Promise<string> {
  const path = join(folder, `${name}.parquet`);
  await writeDataFile(path, batch);
  return path;
}

test.each(CASES.map((entry) => [entry.field.name, entry] as const))(
  'column %s reads the same in every reader',
  async (name, entry) => {
    const batch: Batch = { fields: [entry.field], columns: new Map([[name, entry.stored]]), rows: 4 };
    const expected = entry.read.map((value) => ({ [name]: value }));
    const path = await parquetFile(`one-${name}`, batch);
    expect(await queryDuckDb(`from '${path}'`)).toEqual(expected);
    expect(await readWithHyparquet(path)).toEqual(expected);
    expect(await collect(readRows([path]))).toEqual(expected);
    expect(rowsOfArrow(await fileBytes(batch, 'arrow'))).toEqual(expected);
    expect(rowsOfArrow(await streamBytes(batch))).toEqual(expected);
  },
);

test('all types together read the same in every reader', async () => {
  const path = await parquetFile('every-type', BATCH);
  expect(await queryDuckDb(`from '${path}'`)).toEqual(EXPECTED);
  expect(await readWithHyparquet(path)).toEqual(EXPECTED);
  expect(await collect(readRows([path]))).toEqual(EXPECTED);
  expect(rowsOfArrow(await fileBytes(BATCH, 'arrow'))).toEqual(EXPECTED);
});

test('ten thousand rows of every type read the same, several pages long', { tags: 'long' }, async () => {
  const rows = 10_000;
  const columns = new Map(
    CASES.map(({ field: { name }, stored }) => [
      name,
      Array.from({ length: rows }, (_, row) => stored[row % 4] as CellValue),
    ]),
  );
  const long = Array.from({ length: rows }, (_, row) => `row ${row} ${'ä'.repeat(row % 300)}`);
  const batch: Batch = {
    fields: [...BATCH.fields, field('long', 'utf8')],
    columns: new Map<string, ColumnData>([...columns, ['long', long]]),
    rows,
  };
  const expected = long.map((text, row) => ({ ...EXPECTED[row % 4], long: text }));
  const path = await parquetFile('ten-thousand', batch);
  expect(await queryDuckDb(`from '${path}'`)).toEqual(expected);
  expect(await collect(readRows([path]))).toEqual(expected);
  expect(rowsOfArrow(await streamBytes(batch))).toEqual(expected);
});

test('zero rows keep the whole schema', { tags: 'long' }, async () => {
  const columns = new Map(BATCH.fields.map(({ name }) => [name, []]));
  const empty: Batch = { fields: BATCH.fields, columns, rows: 0 };
  const path = await parquetFile('zero-rows', empty);
  const full = await parquetFile('schema', BATCH);
  const describe = (file: string) => queryDuckDb(`select column_name, column_type from (describe from '${file}')`);
  expect(await queryDuckDb(`from '${path}'`)).toEqual([]);
  expect(await describe(path)).toEqual(await describe(full));
  expect(await readWithHyparquet(path)).toEqual([]);
  expect(await collect(readRows([path]))).toEqual([]);
  for (const bytes of [await fileBytes(empty, 'arrow'), await streamBytes(empty)]) {
    const table = tableFromIPC(bytes);
    expect(table.numRows).toBe(0);
    expect(String(table.schema)).toBe(String(tableFromIPC(await fileBytes(BATCH, 'arrow')).schema));
  }
});

test('empty and full files of one dataset are read as one table', async () => {
  const columns = new Map(BATCH.fields.map(({ name }) => [name, []]));
  await parquetFile('batch_0', { ...BATCH, columns, rows: 0 });
  await parquetFile('batch_1', BATCH);
  expect(await queryDuckDb(`from '${join(folder, 'batch_*.parquet')}'`)).toEqual(EXPECTED);
});

test('DuckDB sees the declared types', async () => {
  const path = await parquetFile('types', BATCH);
  const types = (await queryDuckDb(`select column_name, column_type from (describe from '${path}')`)) as {
    column_name: string;
    column_type: string;
  }[];
  expect(Object.fromEntries(types.map(({ column_name, column_type }) => [column_name, column_type]))).toMatchObject({
    text: 'VARCHAR',
    flag: 'BOOLEAN',
    int: 'BIGINT',
    float: 'DOUBLE',
    lists: 'BOOLEAN[][]',
    points: 'STRUCT(x BIGINT, "label" VARCHAR)[]',
    deep: 'STRUCT(tags VARCHAR[], "inner" STRUCT(flag BOOLEAN, items DOUBLE[][]))',
  });
});

const TRACE = traceCell([
  { role: 'system', content: 'Du bist höflich.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image', media_type: 'image/png', url: 'data:image/png;base64,AAAA' },
    ],
  },
  {
    role: 'assistant',
    content: null,
    reasoning_content: 'I should look.',
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at": "it"}' } },
      { id: 'call_2', type: 'function', function: { name: 'wait', arguments: '{}' } },
    ],
  },
  { role: 'tool', content: 'a cat', tool_call_id: 'call_1' },
  { role: 'assistant', content: 'A cat. 🐈' },
]);

const ABSENT = Object.fromEntries(TRACE_MESSAGE.struct.map(({ name }) => [name, null]));

test('traces read the same in every reader, absent members as null', async () => {
  const rows = 50;
  const traces = Array.from({ length: rows }, (_, row) => (row % 5 === 4 ? null : row % 5 === 3 ? [] : TRACE));
  const batch: Batch = {
    fields: [field('answer__trace', { list: TRACE_MESSAGE })],
    columns: new Map([['answer__trace', traces]]),
    rows,
  };
  const parts = [
    { type: 'text', text: 'What is this?', media_type: null, url: null },
    { type: 'image', text: null, media_type: 'image/png', url: 'data:image/png;base64,AAAA' },
  ];
  const messages = (TRACE as readonly Record<string, unknown>[]).map((message) => ({ ...ABSENT, ...message }));
  messages[1] = { ...ABSENT, role: 'user', content_parts: parts };
  const expected = traces.map((trace) => ({ answer__trace: trace === TRACE ? messages : trace }));
  const path = await parquetFile('traces', batch);
  expect(await queryDuckDb(`from '${path}'`)).toEqual(expected);
  expect(await readWithHyparquet(path)).toEqual(expected);
  expect(await collect(readRows([path]))).toEqual(expected);
  expect(rowsOfArrow(await fileBytes(batch, 'arrow'))).toEqual(expected);
});

test('JSON columns hold text in the file and values in the rows', async () => {
  const shape = { struct: [field('name', 'utf8'), field('extra', 'utf8', { json: true })] } as const;
  const batch: Batch = {
    fields: [field('any', 'utf8', { json: true }), field('nested', { list: shape })],
    columns: new Map<string, ColumnData>([
      ['any', [{ a: [1, new Float(2)], big: BIG }, 'text', null, new Float(3)]],
      ['nested', [[{ name: 'n', extra: { k: [true] } }], [{ name: 'm', extra: null }], null, [{ extra: 0.5 }]]],
    ]),
    rows: 4,
  };
  const path = await parquetFile('json', batch);
  const texts = ['{"a":[1,2.0],"big":9007199254740993}', '"text"', null, '3.0'];
  expect(await queryDuckDb(`select "any" from '${path}'`)).toEqual(texts.map((any) => ({ any })));
  expect(rowsOfArrow(await fileBytes(batch, 'arrow'))).toMatchObject(texts.map((any) => ({ any })));
  expect(await collect(readRows([path]))).toEqual([
    { any: { a: [1, 2], big: BIG }, nested: [{ name: 'n', extra: { k: [true] } }] },
    { any: 'text', nested: [{ name: 'm', extra: null }] },
    { any: null, nested: null },
    { any: 3, nested: [{ name: null, extra: 0.5 }] },
  ]);
  const [any] = tableFromIPC(await fileBytes(batch, 'arrow')).schema.fields;
  expect(any?.metadata.get('data-designer:json')).toBe('true');
});

test('text of many megabytes and lone surrogates are stored', { tags: 'long' }, async () => {
  const long = 'ä🙂'.repeat(3_000_000);
  const batch: Batch = {
    fields: [field('text', 'utf8')],
    columns: new Map([['text', [long, 'a\ud800b', null, long]]]),
    rows: 4,
  };
  const expected = [{ text: long }, { text: 'a\ufffdb' }, { text: null }, { text: long }];
  const path = await parquetFile('long', batch);
  expect(await collect(readRows([path]))).toEqual(expected);
  expect(await queryDuckDb(`select length(text) as n from '${path}'`)).toEqual(
    [6_000_000, 3, null, 6_000_000].map((n) => ({ n })),
  );
  expect(rowsOfArrow(await streamBytes(batch))).toEqual(expected);
});
