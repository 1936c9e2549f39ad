import { expect, test } from 'vitest';
import { readForm } from '@data-designer/config';
import { type ColumnConfig, Random, type Surroundings } from '@data-designer/core';
import { timedelta } from './timedelta.ts';

const given = { dt_min: 0, dt_max: 4, reference_column_name: 'ref' };

const read = (params: unknown) => timedelta.schema.safeParse(readForm(timedelta.schema, params));

function besides(...columns: readonly Record<string, unknown>[]): Surroundings {
  const named = columns.map((column) => {
    const params = { samplerType: column.samplerType, dtMax: 1, unit: 'D', referenceColumnName: '' };
    const whole = { params, conditionalParams: {}, ...column };
    return [column.name as string, whole as unknown as ColumnConfig] as const;
  });
  return { templates: 'secure', constraints: [], columns: new Map(named), has: () => true };
}

test('uses days as the default unit', () => {
  expect(read(given).data).toMatchObject({ dtMin: 0, dtMax: 4, referenceColumnName: 'ref', unit: 'D' });
});

test.each([
  [{ ...given, dt_min: 4 }, 'dtMax'],
  [{ ...given, dt_min: -1 }, 'dtMin'],
  [{ ...given, dt_max: 0 }, 'dtMax'],
  [{ ...given, dt_max: 2.5 }, 'dtMax'],
  [{ ...given, unit: 'M' }, 'unit'],
])('refuses %j', (params, field) => {
  expect(read(params).error?.issues[0]?.path).toEqual([field]);
});

test('reads its reference column', () => {
  const params = timedelta.schema.parse(readForm(timedelta.schema, given));
  expect(timedelta.reads?.(params)).toEqual([{ name: 'ref', field: ['referenceColumnName'] }]);
});

test.each(['datetime', 'timedelta'])('accepts a %s sampler as its reference', (samplerType) => {
  const dataset = besides({ name: 'ref', columnType: 'sampler', samplerType });
  expect(timedelta.check?.(timedelta.schema.parse(readForm(timedelta.schema, given)), dataset)).toEqual([]);
});

test('a reference to a sampler without times loads, and the check reports it', () => {
  const dataset = besides({ name: 'ref', columnType: 'sampler', samplerType: 'uuid' });
  const found = timedelta.check?.(timedelta.schema.parse(readForm(timedelta.schema, given)), dataset);
  expect(found).toMatchObject([{ stage: 'run', field: ['referenceColumnName'], type: 'invalid_reference' }]);
});

test('leaves a reference to a missing or unsampled column to other checks', () => {
  const params = timedelta.schema.parse(readForm(timedelta.schema, given));
  expect(timedelta.check?.(params, besides())).toEqual([]);
  expect(timedelta.check?.(params, besides({ name: 'ref', columnType: 'llm-text' }))).toEqual([]);
});

/** Parameters of times up to an end. */
function untilParams(end: string) {
  return { samplerType: 'datetime', start: '2000', end, unit: 's' };
}

function until(end: string, conditionalEnd = end) {
  const conditionalParams = { 'k == 1': untilParams(conditionalEnd) };
  return { name: 'ref', columnType: 'sampler', samplerType: 'datetime', params: untilParams(end), conditionalParams };
}

/** A column of times at most `dtMax` days after its reference. */
function after(referenceColumnName: string, { name, dtMax }: { name: string; dtMax: number }) {
  const params = { samplerType: 'timedelta', dtMin: 0, dtMax, referenceColumnName, unit: 'D' };
  return { name, columnType: 'sampler', samplerType: 'timedelta', params };
}

function checkDays(dtMax: number, reference: string, ...columns: readonly Record<string, unknown>[]): unknown {
  const params = timedelta.schema.parse({ dtMin: 0, dtMax, referenceColumnName: reference });
  return timedelta.check?.(params, besides(...columns)).map(({ stage, field }) => [stage, ...field]);
}

/** Days from the first of January 2000 to the last day of 9999. */
const DAYS_LEFT = 2_921_939;

test.each([
  ['ref', until('2000-01-01T00:00:01'), 0],
  ['ref', until('2000-01-02'), 1],
  ['ref', until('2000-01-01T00:00:01', '2000-01-11'), 10],
])('reports times beyond the year 9999: after %s with %j', (reference, column, less) => {
  expect(checkDays(DAYS_LEFT + 1 - less, reference, column)).toEqual([]);
  expect(checkDays(DAYS_LEFT + 2 - less, reference, column)).toEqual([['run', 'dtMax']]);
});

test('reports times beyond the year 9999 through a long chain of timedelta columns', () => {
  const chain = Array.from({ length: 20_000 }, (_, at) => after(`d${at}`, { name: `d${at + 1}`, dtMax: 101 }));
  const columns = [{ ...until('2000-01-01T00:00:01'), name: 'd0' }, ...chain];
  expect(checkDays(DAYS_LEFT + 1 - 2_000_000, 'd20000', ...columns)).toEqual([]);
  expect(checkDays(DAYS_LEFT + 2 - 2_000_000, 'd20000', ...columns)).toEqual([['run', 'dtMax']]);
});

test('leaves a cycle of timedelta columns to the reference check', () => {
  const columns = [after('b', { name: 'a', dtMax: 3 }), after('a', { name: 'b', dtMax: 3 })];
  expect(checkDays(3, 'a', ...columns)).toEqual([]);
});

test.each([
  ['D', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const)('adds whole units of %s, dt_max excluded', (unit, seconds) => {
  if (!('draw' in timedelta)) throw new Error('timedelta draws');
  const params = timedelta.schema.parse({ dtMin: 2, dtMax: 5, referenceColumnName: 'ref', unit });
  const draw = timedelta.draw(params, 'x');
  const random = Random.of(5, 'x');
  const whiles = Array.from({ length: 300 }, (_, row) => (draw(random.at(row), [row * 1000]) as number) - row * 1000);
  expect([...new Set(whiles)].toSorted((a, b) => a - b)).toEqual([2, 3, 4].map((units) => units * seconds));
});
