import { expect, test } from 'vitest';
import { readForm } from '@data-designer/config';
import { Random } from '@data-designer/core';
import { uuid } from './uuid.ts';

const read = (params: unknown) => uuid.schema.safeParse(readForm(uuid.schema, params));

test('all parameters are optional', () => {
  expect(read({}).data).toEqual({ samplerType: 'uuid', prefix: null, shortForm: false, uppercase: false });
});

test('reads booleans in every form', () => {
  expect(read({ short_form: 'yes', uppercase: 1 }).data).toMatchObject({ shortForm: true, uppercase: true });
});

test.each([[{ prefix: 5 }], [{ short_form: null }], [{ length: 8 }]])('refuses %j', (params) => {
  expect(read(params).success).toBe(false);
});

/** Identifiers of consecutive rows. */
function drawn(params: unknown, { firstRow = 0, rows = 1000 } = {}): readonly string[] {
  if (!('draw' in uuid)) throw new Error('uuid draws');
  const draw = uuid.draw(uuid.schema.parse(params), 'id');
  const random = Random.of(9, 'id');
  return Array.from({ length: rows }, (_, row) => draw(random.at(firstRow + row), []) as string);
}

test.each([
  [{}, /^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/],
  [{ uppercase: true }, /^[0-9A-F]{12}4[0-9A-F]{3}[89AB][0-9A-F]{15}$/],
  [{ prefix: 'nr-ä€', uppercase: true }, /^nr-ä€[0-9A-F]{12}4[0-9A-F]{3}[89AB][0-9A-F]{15}$/],
  [{ shortForm: true }, /^[0-9a-f]{8}$/],
  [{ shortForm: true, prefix: 'b-', uppercase: true }, /^b-[0-9A-F]{8}$/],
])('with %j, draws identifiers of the expected format', (params, pattern) => {
  const values = drawn(params);
  expect(values.filter((value) => !pattern.test(value))).toEqual([]);
  expect(new Set(values).size).toBe(values.length);
});

test('short identifiers are unique in numbers where random ones would collide', { tags: 'long' }, () => {
  const rows = 400_000;
  const values = new Set(drawn({ shortForm: true }, { rows: rows / 2 }));
  for (const value of drawn({ shortForm: true }, { firstRow: 4_000_000_000, rows: rows / 2 })) values.add(value);
  expect(values.size).toBe(rows);
});

test('the identifier of a row does not depend on earlier draws', () => {
  for (const params of [{}, { shortForm: true }]) {
    expect(drawn(params, { firstRow: 30, rows: 5 })).toEqual(drawn(params).slice(30, 35));
  }
});

test('every random digit is uniformly distributed', () => {
  const rows = 16_000;
  for (const [params, fixed] of [
    [{}, [12, 16]],
    [{ shortForm: true }, []],
  ] as const) {
    const values = drawn(params, { rows });
    const places = Array.from(values[0] ?? '', (_, place) => place).filter(
      (place) => !fixed.some((at) => at === place),
    );
    const worst = Math.max(
      ...places.map((place) => chiSquared(values.map((value) => parseInt(value[place] ?? '', 16)))),
    );
    // The 99.99 % point with 15 degrees of freedom, for the worst of 30 places.
    expect(worst).toBeLessThan(44.3);
  }
});

function chiSquared(digits: readonly number[]): number {
  const counts = Array.from({ length: 16 }, (_, digit) => digits.filter((one) => one === digit).length);
  const expected = digits.length / 16;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}
