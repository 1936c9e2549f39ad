import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Binary,
  Bool,
  DataType,
  DateDay,
  DateMillisecond,
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
  makeData,
  TimeMillisecond,
  TimeNanosecond,
  type Timestamp,
  TimestampMicrosecond,
  TimestampNanosecond,
  TimestampSecond,
  TimeUnit,
  Uint64,
  Utf8,
  Vector,
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

/** Stores a table of one row and reads it back, with the stored types. */
async function readBack(columns: Readonly<Record<string, Vector>>): Promise<readonly (readonly unknown[])[]> {
  const found: (readonly unknown[])[] = [];
  for (const one of Object.values(columns)) {
    const { type, values } = await columnOf(one);
    found.push([type, values[0]]);
  }
  return found;
}

/** Stores a table of one column and reads it back, with its stored type. */
function column(type: DataType, values: readonly unknown[]): Promise<{ type: unknown; values: CellValue[] }> {
  return columnOf(vectorFromArray(values, type));
}

async function columnOf(values: Vector): Promise<{ type: unknown; values: CellValue[] }> {
  const table = new Table({ a: values });
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
  ['bytes that are text', new Binary(), [Buffer.from('ab'), null, Buffer.from('Grüße')], 'utf8', ['ab', null, 'Grüße']],
  ['bytes of which one is no text', new Binary(), [Buffer.from('ab'), Uint8Array.of(0xaa)], 'utf8', ['YWI=', 'qg==']],
  ['bytes with NUL', new Binary(), [Buffer.from('a\0'), Buffer.from('ab')], 'utf8', ['YQA=', 'YWI=']],
  [
    'lists of bytes',
    new List(item(new Binary())),
    [[Buffer.from('ab'), null], null, [Uint8Array.of(0xaa)]],
    { list: 'utf8' },
    [['YWI=', null], null, ['qg==']],
  ],
  ['lists', new List(item(new Float32())), [[1, 2.5], [], null], { list: 'float64' }, [[new Float(1), 2.5], [], null]],
])('reads back a column of %s', async (...[, type, values, expectedType, expected]) => {
  expect(await column(type, values)).toEqual({ type: expectedType, values: expected });
});

const time = (unit: string) => ({ logical: 'time', unit });
const stamp = (unit: string, zoned = false) => ({ logical: 'timestamp', unit, zoned });
const NOON = 43_200_000;

test.each<readonly [string, DataType, readonly unknown[], unknown, readonly unknown[]]>([
  [
    'dates with a time of day',
    new DateMillisecond(),
    [new Date(NOON + 1), new Date(0), null],
    stamp('ms', true),
    ['1970-01-01T12:00:00.001Z', '1970-01-01T00:00:00.000Z', null],
  ],
  ['dates of milliseconds', new DateMillisecond(), [new Date(-86_400_000)], { logical: 'date' }, ['1969-12-31']],
  [
    'times in nanoseconds',
    new TimeNanosecond(),
    [1n, 86_399_999_999_000n],
    time('ns'),
    ['00:00:00.000000001', '23:59:59.999999'],
  ],
  ['times in nanoseconds without any', new TimeNanosecond(), [1000n], time('us'), ['00:00:00.000001']],
  [
    'decimals that a float would round',
    new Decimal(2, 38),
    [
      Uint32Array.of(0xffffffff, 0xffffffff, 0, 0),
      Uint32Array.of(0xfffffffb, 0xffffffff, 0xffffffff, 0xffffffff),
      Uint32Array.of(0, 0, 0, 0),
    ],
    'utf8',
    ['184467440737095516.15', '-0.05', '0.00'],
  ],
])('keeps the whole values of %s', async (...[, type, values, expectedType, expected]) => {
  expect(await column(type, values)).toEqual({ type: expectedType, values: expected });
});

/** A column of timestamps in their units. */
const timestamps = (type: DataType, units: readonly bigint[]) =>
  new Vector([makeData({ type: type as Timestamp, data: BigInt64Array.from(units) })]);

test('timestamps are read in their own units, also far from today and within structs', async () => {
  const last = 253_402_300_799_999_999n;
  const seconds = timestamps(new TimestampSecond(), [-1n]);
  const micros = timestamps(new TimestampMicrosecond(), [last]);
  const nanos = timestamps(new TimestampNanosecond(), [1_700_000_000_000_000_001n]);
  expect(await readBack({ seconds, micros, nanos })).toEqual([
    [stamp('us'), '1969-12-31T23:59:59'],
    [stamp('us'), '9999-12-31T23:59:59.999999'],
    [stamp('ns'), '2023-11-14T22:13:20.000000001'],
  ]);
  const type = new Struct([new Field('at', new TimestampMicrosecond('UTC'))]);
  const nested = new Vector([
    makeData({ type, children: timestamps(new TimestampMicrosecond('UTC'), [last]).data } as never),
  ]);
  expect(await readBack({ nested })).toEqual([
    [{ struct: [expect.objectContaining({ name: 'at' })] }, { at: '9999-12-31T23:59:59.999999+00:00' }],
  ]);
  const zoned = arrowTableRows(new Table({ a: timestamps(new TimestampNanosecond('UTC'), [1n]) }));
  expect(zoned).toMatchObject({ column: 'a', what: expect.stringContaining('NANOSECOND') });
  expect(await readBack({ a: timestamps(new TimestampNanosecond('UTC'), [1000n]) })).toEqual([
    [stamp('us', true), '1970-01-01T00:00:00.000001+00:00'],
  ]);
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

/** A struct of bytes and another member. */
const members = (name: string) =>
  new Struct<never>([new Field('bytes', new Binary(), true), new Field(name, new Utf8(), true)] as never);

test('the content of stored files is Base64, also where it is text, but not bytes beside another member', async () => {
  const bytes = Buffer.from('ab');
  const rows = [{ bytes, path: 'a' }, { bytes: null, path: 'b' }, null];
  const stored = [{ bytes: 'YWI=', path: 'a' }, { bytes: null, path: 'b' }, null];
  expect((await column(members('path'), rows)).values).toEqual(stored);
  expect((await column(new List(item(members('path'))), [rows])).values).toEqual([stored]);
  const both = new Struct<never>([new Field('file', members('path')), new Field('note', new Binary())] as never);
  const noted = [{ file: rows[0], note: bytes }];
  expect((await column(both, noted)).values).toEqual([{ file: stored[0], note: 'ab' }]);
  expect((await column(members('name'), [{ bytes, name: 'a' }])).values).toEqual([{ bytes: 'ab', name: 'a' }]);
});

test('maps are stored as JSON', async () => {
  const entries = new Struct<never>([
    new Field('key', new Utf8(), false),
    new Field('value', new Int32(), true),
  ] as never);
  const type = new Map_(new Field('entries', entries, false) as never);
  expect(await column(type, [new Map([['k', 1]]), null])).toEqual({ type: 'json', values: [{ k: 1 }, null] });
});

/** The columns of mixed bytes in a table with one column of bytes. */
const mixed = (...values: readonly (Buffer | null)[]) => {
  const seen = arrowTableRows(new Table({ a: vectorFromArray(values, new Binary()) }));
  return 'mixed' in seen && seen.mixed;
};

test('names the columns whose bytes are text in some rows alone', () => {
  const [text, binary] = [Buffer.from('ab'), Buffer.of(0xaa)];
  expect([mixed(text, null), mixed(binary, null, Buffer.of()), mixed(text, binary)]).toEqual([[], [], ['a']]);
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
