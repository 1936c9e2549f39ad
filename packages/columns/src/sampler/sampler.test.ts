import { readForm } from '@data-designer/config';
import { Random } from '@data-designer/core';
import { expect, test } from 'vitest';
import { sampler } from './sampler.ts';

type Fill = Extract<typeof sampler, { fill: unknown }>['fill'];

function column(samplerType: string, params: unknown, more: object = {}) {
  const declared = { name: 'kind', columnType: 'sampler', samplerType, params, ...more };
  return sampler.schema.parse(readForm(sampler.schema, declared));
}

function fill(config: ReturnType<typeof column>, range: { firstRow: number; rows: number }, columns = new Map()) {
  const make = (sampler as { fill: Fill }).fill(config, { templates: 'secure' });
  return make(range, Random.of(3, 'kind'), columns)[0];
}

test('a row gets the same value whatever range it is filled in', () => {
  const config = column('category', { values: ['a', 'b', 'c'] });
  const whole = fill(config, { firstRow: 0, rows: 40 }) as readonly unknown[];
  const tail = fill(config, { firstRow: 25, rows: 15 });
  expect(tail).toEqual(whole.slice(25));
});

test('a sampler that reads another column gets the value of the same row', () => {
  const config = column('subcategory', { category: 'size', values: { big: [100], small: [1] } });
  expect(sampler.reads?.(config)).toEqual([{ name: 'size', field: ['params', 'category'] }]);
  const filled = fill(config, { firstRow: 10, rows: 4 }, new Map([['size', ['big', 'small', 'small', 'big']]]));
  expect(filled).toEqual([100, 1, 1, 100]);
});

test('a sampler that reads nothing has no references', () => {
  expect(sampler.reads?.(column('category', { values: ['a'] }))).toEqual([]);
});

const lists = (category: string) => ({ category, values: { a: ['b'] } });

test('what is read under a condition is read too, and the condition is a template', () => {
  const config = column('subcategory', lists('p'), { conditional_params: { "q == 'x'": lists('r') } });
  expect(sampler.reads?.(config)).toEqual([
    { name: 'p', field: ['params', 'category'] },
    { name: 'r', field: ['conditionalParams', "q == 'x'", 'category'] },
  ]);
  expect(sampler.templates?.(config)).toEqual([
    { source: "q == 'x'", field: ['conditionalParams', "q == 'x'"], role: 'condition' },
  ]);
});

test('a sampler that cannot be drawn is not filled', () => {
  const config = column('uuid', {});
  expect(() => fill(config, { firstRow: 0, rows: 1 })).toThrow(
    expect.objectContaining({ code: 'internal/unexpected', message: expect.stringContaining("'uuid'") as string }),
  );
});
