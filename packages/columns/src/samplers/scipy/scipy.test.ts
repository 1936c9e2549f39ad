import { expect, test } from 'vitest';
import { readForm } from '@data-designer/config';
import type { Surroundings } from '@data-designer/core';
import { scipy } from './scipy.ts';

const alone: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };

test('loading keeps the parameters of a distribution unchanged', () => {
  const params = { dist_name: 'beta', dist_params: { a: 2, b: 5.5 }, decimal_places: 3 };
  const expected = { samplerType: 'scipy', distName: 'beta', distParams: { a: 2, b: 5.5 }, decimalPlaces: 3 };
  expect(scipy.schema.parse(readForm(scipy.schema, params))).toEqual(expected);
});

test.each([
  ['norm', 'float64'],
  ['randint', 'int64'],
  ['nothing-of-the-kind', 'float64'],
])('%s is stored as %s', (distName, type) => {
  expect(scipy.arrow(scipy.schema.parse({ distName, distParams: {} }))).toBe(type);
});

test('an unknown distribution loads, and the check suggests the nearest name', () => {
  const params = scipy.schema.parse({ distName: 'nrom', distParams: { x: 1 }, decimalPlaces: -1 });
  const found = scipy.check?.(params, alone);
  expect(found?.map(({ field }) => field.join('.'))).toEqual(['distName']);
  expect(found?.[0]?.remedy).toBe("Did you mean 'norm'?");
});

test.each([[{ distName: 5, distParams: {} }], [{ distName: 'norm' }], [{ distName: 'norm', distParams: [1] }]])(
  'refuses %j',
  (params) => {
    expect(scipy.schema.safeParse(params).success).toBe(false);
  },
);
