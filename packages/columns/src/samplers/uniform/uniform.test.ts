import { expect, test } from 'vitest';
import { readForm, writeForm } from '@data-designer/config';
import { Float, Random, type Surroundings } from '@data-designer/core';
import { uniform } from './uniform.ts';

const { distribution } = uniform as Extract<typeof uniform, { distribution: unknown }>;

const alone: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };

function check(params: unknown) {
  const parsed = uniform.schema.parse(readForm(uniform.schema, params));
  return uniform.check?.(parsed, alone).map(({ stage, field, message }) => [stage, field.join('.'), message]);
}

test('accepts equal bounds', () => {
  expect(check({ low: 1, high: 1 })).toEqual([]);
  expect(check({ low: '1', high: '7', decimal_places: new Float(2) })).toEqual([]);
});

test.each([
  [{ low: 3, high: 1 }, 'low', /low \(3\.0\) is greater than high \(1\.0\)/],
  [{ low: -Infinity, high: 5 }, 'low', /finite number, but is -inf/],
])('%j loads, and the check reports it', (params, field, message) => {
  expect(check(params)).toEqual([['run', field, expect.stringMatching(message)]]);
});

test('writes bounds as floats and decimal places as an integer', () => {
  const params = uniform.schema.parse({ low: 1, high: 2, decimalPlaces: 1 });
  const sameFloat = [new Float(1), new Float(2)];
  const written = writeForm(uniform.schema, params) as Record<string, unknown>;
  expect([written.low, written.high]).toEqual(sameFloat);
  expect(written.decimal_places).toBe(1);
});

test.each([[{ low: 0 }], [{ low: null, high: 1 }], [{ low: 0, high: 1, decimalPlaces: 1.5 }]])(
  'refuses %j',
  (params) => {
    expect(uniform.schema.safeParse(params).success).toBe(false);
  },
);

test('draws between its bounds, or the single value of equal bounds', () => {
  const random = Random.of(1, 'x');
  const drawn = (low: number, high: number) => distribution({ ...params, low, high }).draw(random.at(0));
  const params = uniform.schema.parse({ low: 0, high: 0 });
  expect(drawn(0, 1)).toBe(random.at(0).float());
  expect(drawn(4, 4)).toBe(4);
});
