import { readForm } from '@data-designer/config';
import type { Surroundings } from '@data-designer/core';
import { expect, test } from 'vitest';
import { datetime } from './datetime.ts';

const alone: Surroundings = { templates: 'secure', columns: new Map(), has: () => false };

const read = (params: unknown) => datetime.schema.safeParse(readForm(datetime.schema, params));

function check(start: string, end: string) {
  return datetime.check?.(datetime.schema.parse({ start, end }), alone).map(({ stage, field }) => [stage, ...field]);
}

test('keeps times as they are written, and cuts to days unless another unit is named', () => {
  const expected = { samplerType: 'datetime', start: '2024', end: 'Jan 5 2025', unit: 'D' };
  expect(read({ start: '2024', end: 'Jan 5 2025' }).data).toEqual(expected);
});

test.each([
  [{ start: 'someday', end: '2024' }, ['start']],
  [{ start: '2024', end: '2024-13-01' }, ['end']],
  [{ start: 2024, end: '2025' }, ['start']],
  [{ start: '2024', end: '2025', unit: 'W' }, ['unit']],
])('refuses %j', (params, path) => {
  expect(read(params).error?.issues).toMatchObject([{ path }]);
});

test('the end must be later', () => {
  expect(check('2024', '2025')).toEqual([]);
  expect(check('2024', '2024-01-01 00:00:01')).toEqual([]);
  expect(check('2024', '2024-01-01')).toEqual([['run', 'end']]);
  expect(check('2024-01-01', '2024-01-01 00:00:00.9')).toEqual([['run', 'end']]);
  expect(check('2025', '2024')).toEqual([['run', 'end']]);
  expect(check('2024-01-01T00:00+02:00', '2024-01-01T00:00Z')).toEqual([]);
});

test.each(['now', 'today', 'NaT', '', '10:30', '2024-01-31 10:30 EST'])(
  '%j loads, as in the reference tool, and is found',
  (text) => {
    expect(check(text, '2025')).toEqual([['run', 'start']]);
    expect(check('2024', text)).toEqual([['run', 'end']]);
  },
);
