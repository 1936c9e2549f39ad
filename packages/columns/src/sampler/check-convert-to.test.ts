import { expect, test } from 'vitest';
import { readForm } from '@data-designer/config';
import { checkConvertTo } from './check-convert-to.ts';
import { samplersByName } from '../define-sampler.ts';
import { sampler } from './sampler.ts';
import { samplers } from '../samplers.ts';

function check(samplerType: string, params: unknown, more: object) {
  const declared = { name: 'a', columnType: 'sampler', samplerType, params, ...more };
  const found = checkConvertTo(sampler.schema.parse(readForm(sampler.schema, declared)), samplersByName(samplers));
  return found.map(
    ({ stage, level, type, field, message }) =>
      `${level === 'ERROR' ? stage : level} ${type} ${field.join('.')}: ${message}`,
  );
}

/** A sampler, its parameters and the conversion of its values. */
type Column = readonly [samplerType: string, params: object, convertTo: string];

const span = { low: 0, high: 1 };
const times = { start: '2024', end: '2025' };

test.each<[string, object, string | null]>([
  ['uniform', span, null],
  ['uniform', span, 'int'],
  ['uniform', { ...span, decimalPlaces: 2 }, 'float'],
  ['uniform', span, 'str'],
  ['poisson', { mean: 2 }, 'float'],
  ['category', { values: [1, 20] }, 'str'],
  ['category', { values: [1, 2.5] }, 'int'],
  ['category', { values: ['1', ' 2.50', '1_000', 'inf'] }, 'float'],
  ['subcategory', { category: 'p', values: { a: ['1'], b: [2] } }, 'float'],
  ['datetime', times, '%d %b %Y'],
  ['timedelta', { dtMin: 1, dtMax: 2, referenceColumnName: 'd' }, '%Y/%m/%d %H:%M'],
  ['uuid', {}, 'whatever'],
  ['person', {}, 'int'],
])('%s with %j can be converted to %s', (samplerType, params, convertTo) => {
  expect(check(samplerType, params, { convertTo })).toEqual([]);
});

test.each<[...Column, message: string]>([
  ['uniform', span, 'bogus', "convertTo: values cannot be converted to 'bogus'."],
  ['uniform', span, '%Y', "convertTo: values cannot be converted to '%Y'."],
  ['category', { values: [1] }, 'bool', "convertTo: values cannot be converted to 'bool'."],
  [
    'category',
    { values: ['1', '2'] },
    'int',
    "convertTo: text values cannot be converted to 'int', even if they are digits.",
  ],
  ['category', { values: [1, 'b'] }, 'float', "convertTo: the value 'b' is not a number."],
  [
    'subcategory',
    { category: 'p', values: { a: [1], b: ['x'] } },
    'float',
    "convertTo: the value 'x' is not a number.",
  ],
  [
    'uniform',
    { ...span, decimalPlaces: 2 },
    'str',
    "params.decimalPlaces: values that are converted to 'str' cannot be rounded.",
  ],
  [
    'datetime',
    times,
    '%H',
    "convertTo: '%H' cannot be used as a time format: its output, for example '00', cannot be read back as a time.",
  ],
  [
    'datetime',
    times,
    'int',
    "convertTo: 'int' cannot be used as a time format: its output, for example 'int', cannot be read back as a time.",
  ],
  [
    'datetime',
    times,
    'str',
    "convertTo: 'str' cannot be used as a time format: its output, for example 'str', cannot be read back as a time.",
  ],
])('%s with %j cannot be converted to %s', (...told) => {
  const [samplerType, params, convertTo, message] = told;
  expect(check(samplerType, params, { convertTo })).toEqual([`run invalid_convert_to ${message}`]);
});

test('checks the values of conditional params too', () => {
  const more = { convertTo: 'int', conditionalParams: { 'q > 1': { values: ['x'] } } };
  expect(check('category', { values: [1] }, more)).toHaveLength(1);
});

test('warns about decimal places in conditional params of a column converted to text', () => {
  const more = { convertTo: 'str', conditionalParams: { 'q > 1': { ...span, decimalPlaces: 1 } } };
  const said = "values that are converted to 'str' cannot be rounded.";
  expect(check('uniform', span, more)).toEqual([
    `WARNING invalid_convert_to conditionalParams.q > 1.decimalPlaces: ${said}`,
  ]);
});
