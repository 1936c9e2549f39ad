import { expect, test } from 'vitest';
import { readForm } from '@data-designer/config';
import { samplers } from '../samplers.ts';
import { checkLargeValues } from './check-large-values.ts';
import { samplersByName } from '../define-sampler.ts';
import { sampler } from './sampler.ts';

function check(samplerType: string, params: object, more: object = {}) {
  const declared = { name: 'a', columnType: 'sampler', samplerType, params, ...more };
  const found = checkLargeValues(sampler.schema.parse(readForm(sampler.schema, declared)), samplersByName(samplers));
  return found.map(({ field, message }) => `${field.join('.')}: ${message}`);
}

const LARGE = 2n ** 63n;
const told = `${LARGE} does not fit into a 64-bit integer column.`;

test('reports list integers beyond 64 bits, in conditional params too', () => {
  expect(check('category', { values: [1, LARGE - 1n, LARGE] })).toEqual([`params.values.2: ${told}`]);
  const lists = { category: 'p', values: { x: [LARGE], y: [1] } };
  expect(check('subcategory', lists, { convertTo: 'int' })).toEqual([`params.values.x.0: ${told}`]);
  const conditionalParams = { 'q > 1': { values: [LARGE] } };
  expect(check('category', { values: [1] }, { conditionalParams })).toEqual([
    `conditionalParams.q > 1.values.0: ${told}`,
  ]);
});

test('accepts large integers that are stored as floats or text', () => {
  expect(check('category', { values: [0.5, LARGE] })).toEqual([]);
  expect(check('category', { values: ['b', LARGE] })).toEqual([]);
  for (const convertTo of ['float', 'str']) expect(check('category', { values: [LARGE] }, { convertTo })).toEqual([]);
  expect(check('uniform', { low: 0, high: 1 })).toEqual([]);
});
