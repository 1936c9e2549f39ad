import { Float } from '@data-designer/core';
import { expect, test } from 'vitest';
import { compareStates } from './compare-states.ts';

const state = { account: [{ id: 'a', balance: 60, note: 'x' }], log: [] };

test('equal states have no differences, also with numbers of other forms', () => {
  expect(compareStates(state, structuredClone(state), [])).toEqual([]);
  expect(compareStates({ n: new Float(2), big: 5 }, { n: 2, big: 5n }, [])).toEqual([]);
});

test.each([
  ['another value', { account: [{ id: 'a', balance: 61, note: 'x' }], log: [] }, 'account[0].balance', '60', '61'],
  ['another type', { account: [{ id: 'a', balance: '60', note: 'x' }], log: [] }, 'account[0].balance', '60', '"60"'],
  ['a missing key', { account: [{ id: 'a', balance: 60 }], log: [] }, 'account[0].note', '"x"', null],
  ['a further key', { ...state, other: 1 }, 'other', null, '1'],
  ['a further row', { ...state, log: [1] }, 'log[0]', null, '1'],
  ['a missing row', { account: [], log: [] }, 'account[0]', '{"id":"a","balance":60,"note":"x"}', null],
  ['null', { account: null, log: [] }, 'account', '[{"id":"a","balance":60,"note":"x"}]', 'null'],
])('%s is a difference with its path', (...[, found, path, expected, shown]) => {
  expect(compareStates(state, found, [])).toEqual([{ path, expected, found: shown }]);
});

test.each([['account[0].balance'], ['account[*].balance'], ['*.*.balance'], ['account']])(
  '%s is not compared',
  (path) => {
    const found = { ...state, account: [{ id: 'a', balance: 1, note: 'x' }] };
    expect(compareStates(state, found, [path])).toEqual([]);
  },
);

test('a path that is ignored is that one only', () => {
  const found = { account: [{ id: 'b', balance: 60, note: 'x' }], log: [1] };
  expect(compareStates(state, found, ['account', 'log.x']).map(({ path }) => path)).toEqual(['log[0]']);
  expect(compareStates(state, found, ['account[1].id']).map(({ path }) => path)).toEqual(['account[0].id', 'log[0]']);
});

test('at most 100 differences are listed, and long values are cut', () => {
  const many = Array.from({ length: 300 }, (_, at) => at);
  expect(compareStates(many, [], [])).toHaveLength(100);
  expect(compareStates('x'.repeat(5000), 'y', [])[0]?.expected).toHaveLength(1001);
});
