import { expect, test } from 'vitest';
import type { Filter } from '../api/filter.ts';
import { formatAddress, parseAddress, takeToken, withParams } from './address.ts';
import { describeCondition, filterParams, keptParams, parseFilter } from './filter-params.ts';

const FILTER: Filter = {
  where: [
    { column: 'topic & more', op: 'equals', value: 'a=b&c' },
    { column: 'score', path: ['taste', 'score'], op: 'between', low: 1, high: 2.5, isLast: true },
    { column: 'note', op: 'null' },
  ],
  search: '100 % ünïcode #hash',
  sql: `score > 3 AND topic LIKE 'a%'`,
  sort: [
    { column: '-minus', descending: true },
    { column: 'with:colon', descending: false },
  ],
  review: 'stale',
  model: 'writer',
  tool: 'get_fact',
  failedTool: 'add_numbers',
};

test('an address restores the page, the row and the whole filter of a view', () => {
  const params = withParams(new URLSearchParams({ d: 'b' }), filterParams(FILTER));
  const address = parseAddress(formatAddress({ page: 'record', row: 12, params }));
  expect(address).toMatchObject({ page: 'record', row: 12 });
  expect(parseFilter(address.params)).toEqual(FILTER);
  expect(address.params.get('d')).toBe('b');
});

test.each([
  ['', 'overview'],
  ['#', 'overview'],
  ['#/table', 'table'],
  ['#/../etc/passwd', 'overview'],
  ['#/record/-1', 'record'],
  ['#/record/1e9', 'record'],
])('the fragment %o leads to %s without a row', (hash, page) => {
  expect(parseAddress(hash)).toEqual({ page, params: new URLSearchParams() });
});

test('conditions that no filter can have are left out', () => {
  const params = new URLSearchParams();
  for (const text of ['{', '[]', '{"column":1,"op":"null"}', '{"column":"a","op":"toString"}', 'null'])
    params.append('c', text);
  params.append('review', 'drop table');
  expect(parseFilter(params)).toEqual({});
});

test('a change removes a parameter that is undefined or empty', () => {
  const params = new URLSearchParams({ q: 'bees', at: '3' });
  expect(withParams(params, { q: undefined, at: '', hide: ['a', 'b'] }).toString()).toBe('hide=a&hide=b');
  expect(params.get('q')).toBe('bees');
});

test('a link to another page keeps the dataset and the filter, not the place in the table', () => {
  const params = withParams(new URLSearchParams({ d: '2', at: '7', hide: 'x' }), filterParams({ search: 'bees' }));
  expect(keptParams(params).toString()).toBe('d=2&q=bees');
});

test('the token of the printed address is split from the view after it', () => {
  expect(takeToken('#t=aB-3_x')).toEqual({ token: 'aB-3_x', rest: '#/' });
  expect(takeToken('#t=aB3/record/5?q=a')).toEqual({ token: 'aB3', rest: '#/record/5?q=a' });
  expect(takeToken('#/table?t=1')).toBeUndefined();
});

test.each([
  [{ column: 'a', op: 'equals', value: 'x' }, 'a = “x”'],
  [{ column: 'a', path: ['b'], op: 'at-least', value: 3 }, 'a.b ≥ 3'],
  [{ column: 'a', op: 'between', low: 1, high: 2 }, 'a from 1 to below 2'],
  [{ column: 'a', op: 'length', low: 1, high: 2, isLast: true }, 'a length from 1 to 2'],
  [{ column: 'a', op: 'one-of', values: ['x', 2] }, 'a one of “x”, 2'],
  [{ column: 'a', op: 'not-null' }, 'a is not null'],
] as const)('the condition %j reads %s', (condition, text) => {
  expect(describeCondition(condition)).toBe(text);
});
