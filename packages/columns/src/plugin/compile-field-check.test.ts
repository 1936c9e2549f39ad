import { expect, test } from 'vitest';
import { type ArrowField, field, Float } from '@data-designer/core';
import { compileFieldCheck } from './compile-field-check.ts';

const card = field('a', { struct: [field('n', 'int64', { nullable: false }), field('constructor', { list: 'utf8' })] });
const json = field('a', 'utf8', { json: true });

test.each<[ArrowField, readonly unknown[]]>([
  [field('a', 'int64'), [0, -1, 2n ** 63n - 1n, -(2n ** 63n), new Float(3), null, undefined]],
  [field('a', 'float64'), [0.5, NaN, -Infinity, 2n ** 70n, new Float(1)]],
  [field('a', 'bool'), [true, false]],
  [field('a', { list: 'utf8' }), [[], ['b', null]]],
  [card, [{ n: 1 }, { n: 1, constructor: ['b'], more: 1 }]],
  [json, ['b', NaN, 2n ** 70n, [{ b: [1, undefined] }], { b: undefined }, Object.create(null)]],
])('accepts values that fit %o', (...told) => {
  const [one, values] = told;
  const mistakeIn = compileFieldCheck(one);
  expect(values.map(mistakeIn)).toEqual(values.map(() => undefined));
});

const circle: unknown[] = [];
circle.push(circle);

test.each<[ArrowField, unknown, string]>([
  [field('a', 'int64'), 2n ** 63n, `'a' must be int64, but it is ${2n ** 63n}`],
  [field('a', 'int64'), 2.5, "'a' must be int64, but it is 2.5"],
  [field('a', 'int64', { nullable: false }), null, "'a' must be int64, but it is null"],
  [field('a', 'utf8'), 5, "'a' must be utf8, but it is 5"],
  [field('a', { list: 'utf8' }), ['b', 5], "'a[]' must be utf8, but it is 5"],
  [card, {}, "'a.n' must be int64, but it is undefined"],
  [card, [1], "'a' must be an object, but it is a list"],
  [json, { b: new Date(0) }, "'a' must be plain data, but it is an object"],
  [json, Promise.resolve(1), "'a' must be plain data, but it is a Promise"],
  [json, circle, "'a' must be plain data, but it is a list"],
])('reports a value that does not fit %o', (...told) => {
  const [one, value, mistake] = told;
  expect(compileFieldCheck(one)(value)).toBe(mistake);
});
