import { expect, test } from 'vitest';
import { hasValueBars, type MeasureKind, measureKind, memberKind, valueStats } from './column-bars.ts';

const EXTENT = { rows: 40, nulls: 2, distinct: 3, low: 1, high: 9, mean: 4 };
const statsOf = (kind: MeasureKind, counts: Readonly<Record<string, number>>, path: readonly string[] = []) =>
  valueStats({ column: { name: 'c' }, path, kind }, EXTENT, new Map(Object.entries(counts)));
const barsOf = (kind: MeasureKind, counts: Readonly<Record<string, number>>) =>
  statsOf(kind, counts).bars.map(({ label, count }) => [label, count]);

test('the most frequent values come first, equally frequent ones by name', () => {
  expect(barsOf('text', { d: 1, b: 5, c: 9, a: 5, e: 1 })).toEqual([
    ['c', 9],
    ['a', 5],
    ['b', 5],
    ['d', 1],
    ['e', 1],
  ]);
  expect(statsOf('text', { a: 5, b: 3 })).toMatchObject({ rows: 40, nulls: 2, others: 30, distinct: 2, meanLength: 4 });
  expect(statsOf('text', { a: 5 })).toMatchObject({ low: null, high: null, mean: null });
  const many = Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`v${10 + at}`, 1]));
  expect(barsOf('text', many).map(([label]) => label)).toEqual(Object.keys(many).slice(0, 12));
});

test('whole numbers are in their order, with the values that a condition compares', () => {
  expect(barsOf('integer', { 10: 1, 9: 7, '-1': 3 })).toEqual([
    ['-1', 3],
    ['9', 7],
    ['10', 1],
  ]);
  const { bars, ...stats } = statsOf('integer', { 10: 1 }, ['m']);
  expect(bars[0]?.condition).toEqual({ column: 'c', path: ['m'], op: 'equals', value: 10 });
  expect(stats).toMatchObject({ low: '1', high: '9', mean: 4, meanLength: null });
  expect(statsOf('bool', { true: 1, false: 2 }).bars.map(({ condition }) => condition)).toEqual([
    { column: 'c', op: 'equals', value: false },
    { column: 'c', op: 'equals', value: true },
  ]);
});

test('values have bars of their own unless they are too many or too long', () => {
  expect([20, 21].map((distinct) => hasValueBars('integer', { distinct, high: 999 }))).toEqual([true, false]);
  expect([50, 51].map((distinct) => hasValueBars('text', { distinct, high: 200 }))).toEqual([true, false]);
  expect([200, 201, null].map((high) => hasValueBars('text', { distinct: 1, high }))).toEqual([true, false, true]);
  expect([hasValueBars('bool', { distinct: 2, high: null }), hasValueBars('number', { distinct: 1, high: 1 })]).toEqual(
    [true, false],
  );
});

test('the type of a value tells how it is counted', () => {
  const member = { struct: [{ name: 'm', type: 'int64' }] } as never;
  expect([measureKind('utf8'), measureKind(member), measureKind({ logical: 'date' } as never)]).toEqual([
    'text',
    'none',
    'date',
  ]);
  expect([memberKind(member, ['m']), memberKind(member, ['x']), memberKind('bool', [])]).toEqual([
    'integer',
    'text',
    'text',
  ]);
});
