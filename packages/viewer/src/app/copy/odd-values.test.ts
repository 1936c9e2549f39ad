import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CellValue, field } from '@data-designer/core';
import { serveAndCopy, type ServedAndCopied } from '../../../test/served-and-copied.ts';
import type { Condition, Filter } from '../../api/filter.ts';

const FIELDS = [
  field('int', 'int64', { nullable: true }),
  field('float', 'float64', { nullable: true }),
  field('bool', 'bool', { nullable: true }),
  field('text', 'utf8', { nullable: true }),
  field('numbers', 'utf8', { nullable: true }),
  field('when', 'utf8', { nullable: true }),
  field('day', { logical: 'date' }, { nullable: true }),
  field('at', { logical: 'timestamp', unit: 'us', zoned: false }, { nullable: true }),
  field('zoned', { logical: 'timestamp', unit: 'us', zoned: true }, { nullable: true }),
  field('hour', { logical: 'time', unit: 'us' }, { nullable: true }),
  field('price', { logical: 'decimal', precision: 20, scale: 4 }, { nullable: true }),
  field('json', 'utf8', { json: true, nullable: true }),
  field('list', { list: { list: 'float64' } }, { nullable: true }),
  field(
    'grade',
    { struct: [field('clarity', { struct: [field('score', 'float64', { nullable: true })] })] },
    { nullable: true },
  ),
  field(
    'score',
    { struct: [field('clarity', { struct: [field('score', 'utf8', { nullable: true })] })] },
    { nullable: true },
  ),
];

/** The values of each column, of which each row has the next one. */
const VALUES: Readonly<Record<string, readonly CellValue[]>> = {
  int: [0, -1, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 63n), 2n ** 63n - 1n, null, 7],
  float: [NaN, -0, 0, 1e21, 1e-7, Infinity, -Infinity, null, 0.1, 2.5, 3, 1e15, 123456789.125],
  bool: [true, false, null],
  text: [
    '',
    ' ',
    null,
    'ΟΔΟΣ',
    '\uffee',
    'Straße',
    'STRASSE',
    'İstanbul',
    '👩‍👩‍👧 x',
    'a\nb',
    "it's",
    '100',
    'é',
    'é',
    'null',
    'NaN',
    '\u{1F600}',
    '%',
    '_',
  ],
  numbers: ['1', '10', '2', '-3', '1e3', ' 4', '5.0', '', 'x', null, '00', '1_000', '0x10', 'NaN', 'inf'],
  when: [
    '2024-02-29',
    '2023-02-29',
    '2024-W09-4',
    '0001-01-01',
    '0999-12-31T23:59:59Z',
    '2024-02-29T12:00:00+05:30',
    '2024-02-29T12:00:00.123456Z',
    '2024-02-29 24:00:00',
    '',
    null,
    '2024-02-29T12',
    '10000-01-01',
    '2024-02-29T12:00:00+0530',
    '2024-02-29T12:00:00 +05:30',
    '2024-060',
    '-0044-03-15',
    '2024-2-9',
    '2024-02-29T23:59:60Z',
    '2024-02-29t12:00:00z',
    '2024-02-29T12:00:00-00:00',
    '2024-02-29 (thu)',
    '2024-02-29T12:00Z',
    '2024-02-29T12:00',
    ' 2024-02-29',
    '2024-02-29 ',
    '2024-02-29T12:00:00.1234567891Z',
    '2024-02-29T12:00:00Z[UTC]',
    '2024-02-29T12:00:00 UTC',
    '2024/02/29',
    '2024-02-29T1:02:03',
    '2024-02-29T12:3:4',
    '2024-02-29 1:2',
    '2024-02-29T12:00:00UTC',
    '2024-02-29T12:00:00.5 UTC',
    '2024-02-29 12:00 UTC',
    '2024-02-29T12:00:00 Z',
    '2024-02-29T12:00:00 +05',
    '2024-02-29T',
    '2024-02-29T12:',
    '2024-02-29T12:00:',
    '2024-02-29T99:00:00+01:00',
    '2024-02-29 24:00:00Z',
    '2024-02-29T12:00:00+05:99',
    '2024-02-29T12:00:00.Z',
    '2024-02-29T12:00:00+15:59',
    '2024-02-29T12:00:00+16:00',
    '2024-02-29T12:00:00+05:30:15',
    '20240229',
    '2024-02-29T12:00:00+5',
  ],
  day: ['2024-02-29', '0001-01-01', '1969-12-31', null, '9999-12-31', '0999-06-15'],
  at: [
    '2024-02-29T12:00:00.123456',
    '0001-01-01T00:00:00',
    '1969-12-31T23:59:59.999999',
    null,
    '9999-12-31T23:59:59',
    '2024-02-29T12:00:00',
  ],
  zoned: [
    '2024-02-29T12:00:00.123456+00:00',
    '1969-12-31T23:59:59.999999+00:00',
    null,
    '2024-02-29T12:00:00Z',
    '0999-06-15T00:00:00Z',
  ],
  hour: ['00:00:00', '23:59:59.999999', null, '12:30:00', '12:30:00.5'],
  price: [0.1, -0.0001, 12345678901.25, null, 100, 0],
  json: [{ a: 1 }, { a: 2n ** 60n }, [1, [2, null]], 'plain', null, { 'a b': { c: 'É' } }, 1.5, { a: 1e21 }, [], ''],
  list: [[[1, 2], []], [], null, [[NaN]], [[-0, 1e21]], [[0.1], [0.25]]],
  grade: [{ clarity: { score: 3 } }, { clarity: { score: 2.5 } }, null, { clarity: { score: null } }],
  score: [
    { clarity: { score: '3' } },
    { clarity: { score: '10' } },
    { clarity: { score: null } },
    null,
    { clarity: { score: 'n/a' } },
    { clarity: { score: '2.5' } },
  ],
};
const ROWS = 120;

let both: ServedAndCopied;

beforeAll(async () => {
  const rows = Array.from({ length: ROWS }, (_, at) =>
    Object.fromEntries(Object.entries(VALUES).map(([name, values]) => [name, values[at % values.length] ?? null])),
  );
  both = await serveAndCopy({ fields: FIELDS, rows });
});

afterAll(() => both[Symbol.asyncDispose]());

const compared = ['less', 'at-most', 'more', 'at-least', 'equals', 'not'] as const;
const all = (column: string, bounds: readonly (string | number | boolean)[], path?: readonly string[]): Condition[] =>
  bounds.flatMap((value) => compared.map((op) => ({ column, op, value, ...(path && { path }) })));

const COLUMNS = FIELDS.map(({ name }) => name);

const SPANS: readonly (readonly [low: string, high: string | null])[] = [
  ['2024-02-29', '2024-03-01'],
  ['2024-02-29T12:00:00', null],
  ['0001-01-01', '1000-01-01'],
  ['2024-02-29T06:30:00', '2024-02-29T06:30:01'],
  ['2024-02-29T12:00:00.123', '2024-02-29T12:00:00.124'],
  ['2024-03-01', '2024-03-02'],
  ['2024-W09', null],
  ['2024-02-29T12:00:00Z', null],
];

const CONDITIONS: readonly Condition[] = [
  ...all('int', [0, 2 ** 53, 9.3e18, 0.5, '9007199254740993']),
  ...all('float', [0, 1e21, 0.1, 1e300]),
  ...all('text', ['', 'null', 'é', '\uffee']),
  ...all('numbers', ['1', '10']),
  ...all('day', ['2024-02-29', '0001-01-01']),
  ...all('at', ['2024-02-29T12:00:00', '2024-02-29 12:00:00.123', '2024-02-29', '0001-01-01', 'soon']),
  ...all('zoned', ['2024-02-29T12:00:00Z', '2024-02-29 12:00:00.123', '2024-02-29 12:00:00+00:00', '2024-02-29']),
  ...all('hour', ['12:30:00.500', '23:59:59.999', '12:30']),
  ...all('price', [0, 0.1, '0.1000']),
  ...all('grade', [3, 2.5, '3'], ['clarity', 'score']),
  ...all('score', [3, 2.5, '3', 'n/a'], ['clarity', 'score']),
  { column: 'bool', op: 'equals', value: true },
  { column: 'bool', op: 'not', value: true },
  ...COLUMNS.flatMap((column): readonly Condition[] => [
    { column, op: 'null' },
    ...['', '0', 'null', 'nan', '.0', ' ', 'İ', 'é', '"a"', 't12'].map(
      (text) => ({ column, op: 'contains', text }) as const,
    ),
    ...['^$', '^.$', '(?i)É', 'a.b', String.raw`^\d+$`].map((text) => ({ column, op: 'matches', text }) as const),
    { column, op: 'length', low: 1, high: 2 },
    { column, op: 'length', low: 2, high: 4, isLast: true },
    { column, op: 'one-of', values: [] },
  ]),
  ...['οδος', 'οδοσ', 'i̇', 'ß'].map((text) => ({ column: 'text', op: 'contains', text }) as const),
  { column: 'score', path: ['clarity', 'score'], op: 'not-null' },
  { column: 'score', path: ['clarity', 'score'], op: 'one-of', values: [3, '10'] },
  { column: 'score', path: ['clarity', 'score'], op: 'between', low: 2, high: 10, isLast: true },
  { column: 'score', path: ['clarity', 'missing'], op: 'null' },
  { column: 'float', op: 'one-of', values: [0, 0.1, 1e21] },
  { column: 'float', op: 'between', low: 0, high: 1e21 },
  { column: 'price', op: 'one-of', values: [0.1, 100] },
  ...['when', 'day', 'at', 'zoned'].flatMap((column) =>
    SPANS.map(([low, high]) => ({ column, op: 'dates', low, high }) as const),
  ),
];

const SEARCHES = [
  'null',
  '0',
  '1e',
  '1e+21',
  '0.1',
  'É',
  'STRASSE',
  'nan',
  '-0',
  '2024',
  '9007199254740993',
  '{',
  '%',
  'İ',
];

const SORTS: readonly Filter[] = [false, true].flatMap((descending) => [
  ...COLUMNS.map((column) => ({ sort: [{ column, descending }] })),
  { sort: [{ column: 'score', path: ['clarity', 'score'], descending }] },
]);

/** The rows of a filter in their order, and the columns in which a search finds its text. */
async function selected(ask: ServedAndCopied['served'], filter: Filter): Promise<string> {
  try {
    const { rows } = await ask('rows', { filter, from: 0, count: ROWS, columns: [] });
    return rows.map(({ index, hits }) => (hits ? `${index}: ${hits.join()}` : index)).join(' ');
  } catch {
    return 'refused';
  }
}

/** The filters whose rows the copy and the server do not have alike, with both. */
async function differing(filters: readonly Filter[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const filter of filters) {
    const [ours, theirs] = [await selected(both.copied, filter), await selected(both.served, filter)];
    if (ours !== theirs) found.push(`${JSON.stringify(filter)}: ${ours}, and not ${theirs}`);
  }
  return found;
}

/** The columns whose conditions are tried without being asked for. */
const QUICK = new Set(['float', 'when']);

describe.each(COLUMNS)('the column %s', (name) => {
  const tags = QUICK.has(name) ? [] : ['long'];

  test('has the rows that the server selects for each condition', { tags, timeout: 60_000 }, async () => {
    const own = CONDITIONS.filter(({ column }) => column === name);
    expect(await differing(own.map((condition) => ({ where: [condition] })))).toEqual([]);
  });
});

test('texts are found in the columns in which the server finds them', { tags: 'long', timeout: 60_000 }, async () => {
  expect(await differing(SEARCHES.map((search) => ({ search })))).toEqual([]);
});

test('rows are sorted as the server sorts them', { tags: 'long', timeout: 60_000 }, async () => {
  expect(await differing(SORTS)).toEqual([]);
});

test('the statistics of a filter are those of the server', async () => {
  const request = { filter: { where: [{ column: 'text', op: 'not', value: 'no such text' }] }, columns: COLUMNS };
  const [{ stats: ours }, { stats: theirs }] = await Promise.all([
    both.copied('stats', request),
    both.served('stats', request),
  ]);
  const shape = ({ bars, distinct: _, ...stats }: (typeof ours)[number]) => {
    return { ...stats, bars: bars.map(({ label, count }) => `${label}: ${count}`).toSorted() };
  };
  expect(ours.map(shape)).toEqual(theirs.map(shape));
});
