import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Binary,
  Bool,
  DataType,
  DateDay,
  Decimal,
  Dictionary,
  Duration,
  Field,
  Float32,
  Int32,
  Int64,
  IntervalYearMonth,
  List,
  Map_,
  Null,
  Struct,
  Table,
  TimeMillisecond,
  TimestampMicrosecond,
  TimeUnit,
  Uint64,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CellValue, Float } from '@data-designer/core';
import { tablesReader } from '../tables/table-reader.ts';
import { arrowTableRows } from './arrow-rows.ts';
import { withDuckDb } from '../duck-db/with-duck-db.ts';

let scratch: string;
let tables = 0;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'arrow-rows-'));
});

afterEach(() => rmSync(scratch, { recursive: true }));

/** Stores a table of one column and reads it back, with its stored type. */
async function column(type: DataType, values: readonly unknown[]): Promise<{ type: unknown; values: CellValue[] }> {
  const table = new Table({ a: vectorFromArray(values, type) });
  const seen = arrowTableRows(table);
  if ('what' in seen) throw new Error(seen.what);
  await seen.rows.open({ scratch, signal: new AbortController().signal });
  const path = join(scratch, `rows-${tables++}.parquet`);
  renameSync(join(scratch, 'rows.parquet'), path);
  const { fields } = seen;
  const read = tablesReader([{ id: 't', fields }], [{ id: 't', path, rows: values.length }]);
  const read1 = (await read({ firstRow: 0, rows: values.length })).get('t')?.get('a') ?? [];
  return { type: fields[0]?.json ? 'json' : fields[0]?.type, values: Array.from<CellValue>(read1) };
}

const item = (type: DataType) => new Field('item', type, true);

test.each<readonly [string, DataType, readonly unknown[], unknown, readonly unknown[]]>([
  ['integers', new Int32(), [1, null], 'int64', [1, null]],
  ['long integers', new Int64(), [2n ** 60n, 1n], 'int64', [2n ** 60n, 1]],
  ['unsigned integers that fit', new Uint64(), [1n], 'int64', [1]],
  ['unsigned integers that do not fit', new Uint64(), [1n, 2n ** 63n], 'utf8', ['1', '9223372036854775808']],
  ['floats', new Float32(), [1.5, null], 'float64', [1.5, null]],
  ['booleans', new Bool(), [true, null], 'bool', [true, null]],
  ['texts', new Utf8(), ['ä', null], 'utf8', ['ä', null]],
  ['texts of a dictionary', new Dictionary(new Utf8(), new Int32()), ['x', 'y', 'x'], 'utf8', ['x', 'y', 'x']],
  ['nulls', new Null(), [null], 'null', [null]],
  ['days', new DateDay(), [new Date('2024-01-02')], { logical: 'date' }, ['2024-01-02']],
  ['times of day', new TimeMillisecond(), [11045250], { logical: 'time', unit: 'us' }, ['03:04:05.250000']],
  [
    'timestamps',
    new TimestampMicrosecond(),
    [1704164645250],
    { logical: 'timestamp', unit: 'us', zoned: false },
    ['2024-01-02T03:04:05.250000'],
  ],
  [
    'timestamps with a time zone',
    new TimestampMicrosecond('Europe/Berlin'),
    [0],
    { logical: 'timestamp', unit: 'us', zoned: true },
    ['1970-01-01T00:00:00+00:00'],
  ],
  [
    'decimals',
    new Decimal(2, 10),
    [Uint32Array.of(1250, 0, 0, 0)],
    { logical: 'decimal', precision: 10, scale: 2 },
    [12.5],
  ],
  ['long decimals', new Decimal(2, 38), [Uint32Array.of(1250, 0, 0, 0)], 'float64', [12.5]],
  ['durations', new Duration(TimeUnit.SECOND), [5n, null], 'int64', [5, null]],
  ['bytes', new Binary(), [Uint8Array.of(97, 98), Uint8Array.of(0xaa, 0x41)], 'utf8', ['ab', 'qkE=']],
  ['lists', new List(item(new Float32())), [[1, 2.5], [], null], { list: 'float64' }, [[new Float(1), 2.5], [], null]],
])('reads back a column of %s', async (...[, type, values, expectedType, expected]) => {
  expect(await column(type, values)).toEqual({ type: expectedType, values: expected });
});

test('structs keep their members, also within lists', async () => {
  const type = new Struct<never>([
    new Field('d', new DateDay(), true),
    new Field('D', new List(item(new Int32())), true),
  ] as never);
  const rows = [
    { d: new Date('2024-01-02'), D: [1] },
    { d: null, D: null },
  ];
  expect((await column(type, rows)).values).toEqual([
    { d: '2024-01-02', D: [1] },
    { d: null, D: null },
  ]);
  expect((await column(new List(item(type)), [[rows[0]]])).values).toEqual([[{ d: '2024-01-02', D: [1] }]]);
});

test('maps are stored as JSON', async () => {
  const entries = new Struct<never>([
    new Field('key', new Utf8(), false),
    new Field('value', new Int32(), true),
  ] as never);
  const type = new Map_(new Field('entries', entries, false) as never);
  expect(await column(type, [new Map([['k', 1]]), null])).toEqual({ type: 'json', values: [{ k: 1 }, null] });
});

test('an unsupported Arrow type is reported with its column', () => {
  const table = new Table({
    ok: vectorFromArray([1]),
    odd: vectorFromArray([Int32Array.of(1)], new IntervalYearMonth()),
  });
  expect(arrowTableRows(table)).toMatchObject({ column: 'odd', what: expect.stringContaining('Interval') as string });
});

const part = (from: number) =>
  new Table({ n: vectorFromArray([from, from + 1], new Int32()), N: vectorFromArray(['a', 'b'], new Utf8()) });

const hash = (table: Table) => {
  const rehashed = arrowTableRows(table);
  return 'what' in rehashed ? undefined : rehashed.rows.hash?.();
};

test('a table of several batches keeps its rows and column names, and its hash depends on its rows', async () => {
  const seen = arrowTableRows(part(1).concat(part(3)));
  if ('what' in seen) throw new Error(seen.what);
  const { sql, columns } = await seen.rows.open({ scratch, signal: new AbortController().signal });
  const rows = await withDuckDb(async (connection) =>
    (await connection.runAndReadAll(`SELECT n FROM ${sql}`)).getRowsJson(),
  );
  expect([rows.flat().map(Number), columns, seen.fields.map(({ name }) => name)]).toEqual([
    [1, 2, 3, 4],
    ['n', 'N_1'],
    ['n', 'N'],
  ]);
  expect(await hash(part(1))).toBe(await hash(part(1)));
  expect(await hash(part(1))).not.toBe(await hash(part(2)));
});
