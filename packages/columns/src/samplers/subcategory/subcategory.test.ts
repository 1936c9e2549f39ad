import { expect, test } from 'vitest';
import { Float, Random } from '@data-designer/core';
import { subcategory } from './subcategory.ts';

const birds = { category: 'order', values: { owl: ['barn', 'snowy', 'elf', 'hawk'], gull: ['kelp'] } };

type Drawn = Extract<typeof subcategory, { draw: unknown }>;

function sample(input: unknown, parent: string, rows = 4000): unknown[] {
  const draw = (subcategory as Drawn).draw(subcategory.schema.parse(input), 'species');
  const random = Random.of(11, 'species');
  return Array.from({ length: rows }, (_, row) => draw(random.at(row), [parent]));
}

test('draws every value of the list for its row about equally often', () => {
  const drawn = sample(birds, 'owl');
  for (const value of birds.values.owl) {
    // 5.5 standard errors of a share of 1/4 over 4,000 draws
    expect(Math.abs(drawn.filter((one) => one === value).length / 4000 - 0.25)).toBeLessThan(0.038);
  }
  expect(new Set(sample(birds, 'gull', 50))).toEqual(new Set(['kelp']));
});

test('reads its category column', () => {
  expect(subcategory.reads?.(subcategory.schema.parse(birds))).toEqual([{ name: 'order', field: ['category'] }]);
});

test.each<[Record<string, unknown[]>, string, unknown[]]>([
  [{ a: [1, 2], b: [3] }, 'int64', [1, 2]],
  [{ a: [1, 2], b: [3.5] }, 'float64', [1, 2]],
  [{ a: [1, new Float(2)], b: [3] }, 'float64', [1, 2]],
  [{ a: [1, 2.5], b: ['x'] }, 'utf8', ['1.0', '2.5']],
  [{ a: [1, 2], b: ['x'] }, 'utf8', ['1', '2']],
  [{ a: [1, 'two'], b: [3] }, 'utf8', ['1', 'two']],
])('the lists %j share the type %s', (values, type, distinct) => {
  const input = { category: 'p', values };
  expect(subcategory.arrow(subcategory.schema.parse(input))).toBe(type);
  expect(new Set(sample(input, 'a', 200))).toEqual(new Set(distinct));
});

test.each([['finch'], [1], [null]])(
  'a parent value %j without a list is an error that names both columns',
  (parent) => {
    const draw = (subcategory as Drawn).draw(subcategory.schema.parse(birds), 'species');
    const place = Random.of(1, 'species').at(0);
    expect(() => draw(place, [parent])).toThrow(
      expect.objectContaining({
        code: 'config/invalid',
        message: expect.stringMatching(
          new RegExp(`'species'.*\\n.*the value "?${parent}"? .*'order' has no list`),
        ) as string,
      }),
    );
  },
);

test.each([
  [{ category: 'p', values: { a: [null] } }, /values/],
  [{ category: 'p', values: { a: 'b' } }, /values/],
  [{ category: 'p' }, /values/],
  [{ values: { a: ['b'] } }, /category/],
])('refuses %j', (params, reason) => {
  expect(JSON.stringify(subcategory.schema.safeParse(params).error?.issues)).toMatch(reason);
});

test('an empty mapping and empty lists load', () => {
  expect(subcategory.schema.safeParse({ category: 'p', values: {} }).success).toBe(true);
  expect(subcategory.schema.safeParse({ category: 'p', values: { a: [] } }).success).toBe(true);
});
