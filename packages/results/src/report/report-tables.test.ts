import { expect, test } from 'vitest';
import { type ColumnProfile, type DatasetProfile, NOT_CALCULATED } from '@data-designer/profile';
import { attemptTables } from './attempt-tables.ts';
import { columnFacts, formatFigure } from './column-facts.ts';
import { selectionTables } from './selection-tables.ts';
import { stageTable } from './stage-tables.ts';

const column = (more: object = {}): ColumnProfile =>
  ({ name: 'c', dataType: 'string', records: 10, nulls: 0, unique: 4, ...more }) as unknown as ColumnProfile;
const valuesOf = (more: object) => columnFacts(column(more))[0]?.['values'];

test.each<readonly [string, object, string]>([
  ['a constant', { constant: '' }, 'constant: (empty)'],
  ['a long constant', { constant: 'x'.repeat(41) }, `constant: ${'x'.repeat(40)}…`],
  ['a constant that just fits', { constant: 'x'.repeat(40) }, `constant: ${'x'.repeat(40)}`],
  ['nothing but nulls', { nulls: 10 }, 'only nulls'],
  ['no rows', { records: 0, lengths: { min: 1, max: 2 } }, '1 to 2 characters'],
  ['numbers', { numbers: { min: 1, max: 20_000, mean: 3.14159 } }, '1 to 20,000, mean 3.142'],
  ['texts of one length', { lengths: { min: 1, max: 1 } }, '1 character'],
  [
    'categories',
    { categories: { top: [1, 2, 3, 4].map((one) => ({ value: `v${one}`, records: one })) }, unique: 1200 },
    'v1 10.0%, v2 20.0%, v3 30.0%, 1,197 more',
  ],
  ['few categories', { categories: { top: [{ value: 'v', records: 10 }] }, unique: 1 }, 'v 100.0%'],
])('%s are summarised', (_, more, values) => {
  expect(valuesOf(more)).toBe(values);
});

const dates = (more: object) => ({
  min: '2024-01-01',
  max: '2024-12-01',
  precision: 'day',
  histogram: { unit: 'month', starts: ['2024-01-01', '2024-02-01'], counts: [1, 5] },
  ...more,
});

test('dates name the most frequent one, or the fullest bin', () => {
  const top = { categories: { top: [{ value: '2024-02-03T00:00:00', records: 2 }] }, dates: dates({}) };
  expect(valuesOf(top)).toBe('2024-01-01 to 2024-12-01, most frequent 2024-02-03 (2 records)');
  expect(valuesOf({ dates: dates({}) })).toContain('most frequent month 2024-02 (5 records)');
  const single = { categories: { top: [{ value: '2024-02-03', records: 1 }] }, dates: dates({}) };
  expect(valuesOf(single)).toContain('most frequent month 2024-02 (5 records)');
  const quarter = { unit: 'quarter', starts: ['2024-01-01', '2024-04-01'], counts: [1, 2] };
  expect(valuesOf({ dates: dates({ histogram: quarter }) })).toContain('most frequent quarter 2024-Q2 (2 records)');
  const hour = { unit: 'hour', starts: ['2024-01-01T05:00:00'], counts: [1] };
  expect(valuesOf({ dates: dates({ histogram: hour }) })).toContain('hour from 2024-01-01T05:00:00 (1 record)');
  const years = { unit: 'decade', starts: ['2020-01-01'], counts: [3] };
  expect(valuesOf({ dates: dates({ histogram: years }) })).toContain('decade from 2020 (3 records)');
  expect(columnFacts(column({ dates: dates({}) }))[0]?.['data type']).toBe('date');
  expect(columnFacts(column({ dates: dates({ precision: 'hour' }) }))[0]?.['data type']).toBe('datetime');
  expect(columnFacts(column())[0]?.['data type']).toBe('string');
});

test('a column has its share of valid rows, its tokens, its fields and how many are left out', () => {
  const field = { path: ['home', 'town'], dataType: 'string', records: 10, nulls: 1, unique: 2, constant: 'x' };
  const tokens = { inputTokens: { median: 3, stddev: 1.25 }, outputTokens: NOT_CALCULATED };
  const [own, part, omitted] = columnFacts(
    column({ samplerType: 'uniform', valid: 5, fields: [field], omittedFields: 3, ...tokens }),
  );
  expect(own).toMatchObject({ sampler: 'uniform', valid: '50.0%', values: '4 fields', nulls: '0 (0.0%)' });
  expect(own?.['prompt tokens']).toBe('3.0 ± 1.3');
  expect(part).toMatchObject({ column: 'c.home.town', nulls: '1 (10.0%)', values: 'constant: x' });
  expect(omitted).toEqual({ column: 'c', values: '3 further fields, not profiled' });
});

test('figures have four digits, whole numbers all', () => {
  expect([1e6, 1234.567, 0.000123456, -5, 1e15, 12_345.6].map(formatFigure)).toEqual([
    '1,000,000',
    '1,235',
    '0.0001235',
    '-5',
    '1000000000000000',
    '12,350',
  ]);
});

test('a selection has its counts, reasons and shares, or why those cannot be counted', () => {
  expect(selectionTables({} as DatasetProfile)).toEqual([]);
  const selection = {
    candidates: 40,
    accepted: 10,
    refused: [{ rows: 30, message: 'why' }],
    shares: [{ column: 'c', values: [{ value: 'v', before: 0.25, after: 0.5 }] }],
  };
  expect(selectionTables({ selection } as never)).toEqual([
    [{ candidates: '40', accepted: '10', share: '25.0%' }],
    [{ refused: '30', reason: 'why' }],
    [{ column: 'c', value: 'v', 'of candidates': '25.0%', 'of accepted rows': '50.0%' }],
  ]);
  const damaged = { ...selection, refused: [], shares: [], damage: 'gone' };
  expect(selectionTables({ selection: damaged } as never).at(-1)).toEqual([
    { 'shares of candidates': 'They cannot be counted: gone' },
  ]);
});

test('a stage has its rows, failed requests, cost and time where they are known', () => {
  const counts = { rows: 3, requested: 3, missing: 0, requests: 5, failedRequests: 0, inputTokens: 1, outputTokens: 2 };
  const priced = { cost: 1.5, knownCost: 1.5, unpriced: [] };
  const partly = { cost: null, knownCost: 1.5, unpriced: ['judge'] };
  const stages = [
    { ...counts, stage: 'a', ...priced, seconds: 61 },
    { ...counts, stage: 'b', ...partly, seconds: 61 },
  ] as never;
  const unknown = { cost: null, knownCost: 0, unpriced: ['judge'] };
  const total = { ...counts, rows: 2, missing: 1, failedRequests: 2, ...unknown, seconds: null };
  const [own, other, all] = stageTable({ stages, total });
  expect(own).toMatchObject({ stage: 'a', rows: '3', requests: '5', cost: '1.50', time: '1 min 1 s' });
  expect(other?.['cost']).toBe('1.50 + unknown');
  expect(own && 'missing' in own).toBe(false);
  expect(all).toMatchObject({
    stage: 'total',
    rows: '2 of 3',
    missing: '1',
    requests: '5 (2 failed)',
    cost: 'unknown',
  });
  expect(all?.['time']).toBe('unknown');
});

test('attempts have figures, shares by attempt and why rows have none', () => {
  expect(attemptTables({})).toEqual([]);
  const block = {
    keep: 'first',
    rows: 4,
    accepted: 2,
    attempts: 6,
    failedAttempts: 1,
    attemptsPerAccepted: 1.5,
    costPerAccepted: 0,
    acceptedAt: [1, 1],
    passAt: [0.25, 0.5],
    exhausted: [{ kind: 'no_score', reason: '', rows: 2, row: 1, verdict: 'v' }],
  };
  const [figures, passes, reasons] = attemptTables({ attempts: { b: block } } as never);
  expect(figures?.[0]).toMatchObject({ block: 'b', 'attempts per accepted row': '1.50', 'cost per accepted row': '' });
  expect(passes?.map((one) => one['pass@k'])).toEqual(['25.0%', '50.0%']);
  expect(passes?.map((one) => one['accepted rows'])).toEqual(['1', '1']);
  expect(reasons?.[0]).toMatchObject({ reason: 'no score', 'first row': '1' });
  const one = { ...block, exhausted: [{ kind: 'failed', reason: 'c', rows: 1, row: 0, verdict: '' }], passAt: null };
  expect(attemptTables({ attempts: { b: one } } as never).at(-1)?.[0]).toMatchObject({ reason: 'failed: c' });
});
