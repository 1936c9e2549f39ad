import { expect, test } from 'vitest';
import { readForm } from '@data-designer/config';
import type { ArrowField } from '@data-designer/core';
import { drawnField } from './drawn-field.ts';
import { samplersByName } from '../define-sampler.ts';
import { sampler } from './sampler.ts';
import { samplers } from '../samplers.ts';

function fieldOf(samplerType: string, params: unknown, more: object = {}): ArrowField {
  const declared = { name: 'a', columnType: 'sampler', samplerType, params, ...more };
  return drawnField(sampler.schema.parse(readForm(sampler.schema, declared)), samplersByName(samplers));
}

const span = { low: 0, high: 9 };
const times = { start: '2024', end: '2025' };

test.each<[string, object, string | null, string]>([
  ['uniform', span, null, 'float64'],
  ['uniform', span, 'int', 'int64'],
  ['uniform', span, 'str', 'utf8'],
  ['uniform', span, 'bogus', 'float64'],
  ['poisson', { mean: 1 }, 'float', 'float64'],
  ['category', { values: [1, 20] }, null, 'int64'],
  ['category', { values: [1, 20] }, 'str', 'utf8'],
  ['category', { values: ['1', '2.50'] }, 'float', 'float64'],
  ['datetime', times, null, 'utf8'],
  ['datetime', times, '%d %b %Y', 'utf8'],
  ['datetime', times, 'int', 'utf8'],
  ['uuid', {}, 'int', 'utf8'],
])('%s with %j, converted to %s, is stored as %s', (...told) => {
  const [samplerType, params, convertTo, type] = told;
  expect(fieldOf(samplerType, params, { convertTo })).toEqual({ name: 'a', type, nullable: false });
});

test.each<[unknown[], unknown[], string]>([
  [[1], [2], 'int64'],
  [[1], [2.5], 'float64'],
  [[2.5], ['b'], 'utf8'],
  [['a'], [1], 'utf8'],
])('the values %j, with conditional values %j, are stored as %s', (values, others, type) => {
  expect(fieldOf('category', { values }, { conditionalParams: { 'q > 1': { values: others } } }).type).toBe(type);
});

test('people from Faker are structs, with conditional params too', () => {
  const plain = fieldOf('person_from_faker', {});
  const conditional = fieldOf('person_from_faker', {}, { conditionalParams: { 'q > 1': { sex: 'Male' } } });
  expect(plain.type).toHaveProperty('struct');
  expect(conditional).toEqual(plain);
});

test('people from a collection are JSON, unless mixed with other text', () => {
  expect(fieldOf('person', {})).toEqual({ name: 'a', type: 'utf8', nullable: false, json: true });
  const mixed = fieldOf('person', {}, { conditionalParams: { 'q > 1': { samplerType: 'uuid' } } });
  expect(mixed).toEqual({ name: 'a', type: 'utf8', nullable: false });
});
