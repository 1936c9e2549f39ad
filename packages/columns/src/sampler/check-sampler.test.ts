import { expect, test } from 'vitest';
import { checkDataset, ColumnRegistry, parseDataset } from '@data-designer/config';
import { sampler } from './sampler.ts';

const registry = new ColumnRegistry([sampler]);

interface Declared {
  readonly name: string;
  readonly sampler_type: string;
  readonly params: Record<string, unknown>;
  readonly conditional_params?: Record<string, Record<string, unknown>>;
  readonly convert_to?: string;
}

/** The findings in sampler columns: stage, type and path. */
const check = (...columns: readonly Declared[]): string[] => checkHeld(columns, []);

/** The findings in sampler columns with constraints. */
function checkHeld(declared: readonly Declared[], constraints: readonly object[]): string[] {
  const columns = declared.map((column) => ({ column_type: 'sampler', ...column }));
  const document = { columns, constraints };
  const found = checkDataset(parseDataset(document, registry), { registry });
  return found.map(({ stage, type, path }) => `${stage} ${type} ${path}`);
}

const kind = { name: 'k', sampler_type: 'category', params: { values: ['a', 'b'] } };
const lists = { category: 'k', values: { a: ['x'], b: ['y'] } };

test('plain categories and subcategories produce no findings', () => {
  expect(check(kind, { name: 's', sampler_type: 'subcategory', params: lists })).toEqual([]);
});

test.each(['uuid', 'person'])('a conversion of %s, which has no effect, produces no findings', (sampler_type) => {
  expect(check({ name: 'a', sampler_type, params: {}, convert_to: 'int' })).toEqual([]);
});

test('conditions and conversions produce no findings', () => {
  const conditional_params = { "k == 'a'": { values: ['c'] }, "k == 'b'": { values: ['d'] } };
  const more = { name: 'm', sampler_type: 'category', params: { values: ['e'] }, conditional_params };
  expect(check(kind, { ...more, convert_to: 'str' })).toEqual([]);
});

const UNIT = { name: 'a', sampler_type: 'uniform', params: { low: 0, high: 1 } };
const ELSEWHERE = { conditional_params: { "k == 'a'": { low: 5, high: 6 } } };

test.each<[Declared, string, boolean]>([
  [UNIT, 'gt 1', true],
  [UNIT, 'gt 0.999', false],
  [{ ...UNIT, convert_to: 'int' }, 'gt 1', true],
  [{ ...UNIT, ...ELSEWHERE }, 'gt 1', false],
  [{ name: 'a', sampler_type: 'poisson', params: { mean: 3 } }, 'lt 0', true],
  [{ name: 'a', sampler_type: 'category', params: { values: [1, 2] } }, 'gt 5', false],
])('%o with the constraint %s: reported as impossible: %s', (column, held, isFound) => {
  const [operator, rhs] = held.split(' ');
  const found = checkHeld([kind, column], [{ target_column: 'a', operator, rhs: Number(rhs) }]);
  expect(found).toEqual(isFound ? ['run constraint_unmet columns[1].params'] : []);
});

test('params of another sampler load and are reported, in conditional params too', () => {
  const params = { sampler_type: 'uniform', low: 1, high: 0 };
  const found = check(kind, { name: 'a', sampler_type: 'uuid', params, conditional_params: { "k == 'a'": params } });
  expect(found).toEqual([
    'run sampler_type_mismatch columns[1].params.sampler_type',
    'run invalid_params columns[1].params.low',
    `run sampler_type_mismatch columns[1].conditional_params["k == 'a'"].sampler_type`,
    `run invalid_params columns[1].conditional_params["k == 'a'"].low`,
  ]);
});

test('the findings of a sampler have paths inside its params', () => {
  const found = check(kind, { name: 's', sampler_type: 'subcategory', params: { ...lists, values: { a: ['x'] } } });
  expect(found).toEqual(['run missing_list columns[1].params.values']);
});

test('a missing category column fails before a run; a column of another sampler fails on load', () => {
  const sub = { name: 's', sampler_type: 'subcategory', params: { ...lists, category: 'tag' } };
  expect(check(sub)).toEqual(['run unknown_column columns[0].params.category']);
  expect(check({ name: 'tag', sampler_type: 'uuid', params: {} }, sub)).toEqual([
    'load sub_parent_not_category columns[1].params.category',
  ]);
});

test.each([
  ['ghost == 1', 'unknown_column'],
  ['fee > 1', 'self_reference'],
  ["k | join == 'a'", 'template/unsupported-filter'],
])('the condition %s is reported before a run, not on load', (condition, type) => {
  const params = { low: 1, high: 2 };
  const found = check(kind, {
    name: 'fee',
    sampler_type: 'uniform',
    params,
    conditional_params: { [condition]: params },
  });
  expect(found).toContain(`run ${type} columns[1].conditional_params[${JSON.stringify(condition)}]`);
});

test.each([
  ['uniform', { low: 0, high: 1 }, 'bogus'],
  ['datetime', { start: '2024', end: '2025' }, '%H'],
])('%s with %j converted to %s is reported before a run, not on load', (sampler_type, params, convert_to) => {
  expect(check({ name: 'a', sampler_type, params, convert_to })).toContain(
    'run invalid_convert_to columns[0].convert_to',
  );
});

test('an unknown sampler is reported at its name, without its params', () => {
  const params = { mean: 0, std: 1 };
  expect(check({ name: 'a', sampler_type: 'normal', params })).toEqual(['load invalid_value columns[0].sampler_type']);
});

test('reports a constraint between a column and itself', () => {
  expect(checkHeld([UNIT], [{ target_column: 'a', operator: 'le', rhs: 'a' }])).toEqual([
    'run self_reference constraints[0].rhs',
  ]);
});

test('reports decimal places in conditional params of a column converted to text', () => {
  const conditional_params = { "k == 'a'": { low: 0, high: 1, decimal_places: 1 } };
  expect(check(kind, { ...UNIT, conditional_params, convert_to: 'str' })).toEqual([
    `run invalid_convert_to columns[1].conditional_params["k == 'a'"].decimal_places`,
  ]);
});
