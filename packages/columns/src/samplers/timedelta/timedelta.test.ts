import { readForm } from '@data-designer/config';
import type { ColumnConfig, Surroundings } from '@data-designer/core';
import { expect, test } from 'vitest';
import { timedelta } from './timedelta.ts';

const given = { dt_min: 0, dt_max: 4, reference_column_name: 'ref' };

const read = (params: unknown) => timedelta.schema.safeParse(readForm(timedelta.schema, params));

function besides(...columns: readonly Record<string, unknown>[]): Surroundings {
  const named = columns.map((column) => [column.name as string, column as unknown as ColumnConfig] as const);
  return { templates: 'secure', columns: new Map(named), has: () => true };
}

test('counts days unless another unit is named', () => {
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

test('reads the column that it adds to', () => {
  const params = timedelta.schema.parse(readForm(timedelta.schema, given));
  expect(timedelta.reads?.(params)).toEqual([{ name: 'ref', field: ['referenceColumnName'] }]);
});

test.each(['datetime', 'timedelta'])('adds to the times of a %s sampler', (samplerType) => {
  const dataset = besides({ name: 'ref', columnType: 'sampler', samplerType });
  expect(timedelta.check?.(timedelta.schema.parse(readForm(timedelta.schema, given)), dataset)).toEqual([]);
});

test('a sampler that draws no times loads and is found', () => {
  const dataset = besides({ name: 'ref', columnType: 'sampler', samplerType: 'uuid' });
  const found = timedelta.check?.(timedelta.schema.parse(readForm(timedelta.schema, given)), dataset);
  expect(found).toMatchObject([{ stage: 'run', field: ['referenceColumnName'], type: 'invalid_reference' }]);
});

test('a column that is not there, or is no sampler, is left to the check of references', () => {
  const params = timedelta.schema.parse(readForm(timedelta.schema, given));
  expect(timedelta.check?.(params, besides())).toEqual([]);
  expect(timedelta.check?.(params, besides({ name: 'ref', columnType: 'llm-text' }))).toEqual([]);
});
