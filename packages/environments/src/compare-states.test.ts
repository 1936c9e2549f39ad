import { Float } from '@data-designer/core';
import { expect, test } from 'vitest';
import { compareStates, stateChanges } from './compare-states.ts';

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

const BEFORE = {
  account: [
    { id: 'leo', balance: 5 },
    { id: 'mia', balance: 100 },
    { id: 'zoe', balance: 7 },
  ],
  log: [],
};

test('rows of a table are compared by their key, and a row that is gone moves no other', () => {
  const after = {
    account: [
      { id: 'kim', balance: 1 },
      { id: 'leo', balance: 35 },
      { id: 'zoe', balance: 7 },
    ],
    log: [{ n: 1, what: 'moved' }],
  };
  expect(stateChanges(BEFORE, after)).toEqual({
    changes: [
      { path: 'account[id=leo].balance', before: '5', after: '35' },
      { path: 'account[id=mia]', before: '{"id":"mia","balance":100}', after: null },
      { path: 'account[id=kim]', before: null, after: '{"id":"kim","balance":1}' },
      { path: 'log[n=1]', before: null, after: '{"n":1,"what":"moved"}' },
    ],
    isCut: false,
  });
  expect(stateChanges(BEFORE, structuredClone(BEFORE))).toEqual({ changes: [], isCut: false });
});

test.each([
  [
    'a member that repeats is no key',
    [
      { of: 'a', n: 1 },
      { of: 'a', n: 2 },
    ],
    [{ of: 'a', n: 2 }],
    '[n=1]',
  ],
  ['rows without a key go by position', [{ of: 'a' }, { of: 'a' }], [{ of: 'a' }, { of: 'b' }], '[1].of'],
  ['an item that is gone from the middle', ['a', 'b', 'c'], ['a', 'c'], '[1]'],
  ['an item that is put first', ['b'], ['a', 'b'], '[0]'],
  ['an item that is gone from equal ones', ['a', 'a'], ['a'], '[1]'],
  [
    'a key of two types',
    [
      { id: 1, n: 1 },
      { id: null, n: 2 },
    ],
    [
      { id: 1, n: 1 },
      { id: null, n: 3 },
    ],
    '[n=2]',
  ],
  ['another type of the state', 1, 'x', ''],
  ['a nested value', { a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 1, d: 2 }] } }, 'a.b[c=1].d'],
])('%s', (...[, before, after, path]) => {
  expect(stateChanges(before, after).changes[0]?.path).toBe(path);
});

function countFrom(first: number): readonly number[] {
  return Array.from({ length: 150 }, (_, at) => at + first);
}

test('at most 100 changes are listed, and more are told of', () => {
  const { changes, isCut } = stateChanges(countFrom(0), countFrom(1000));
  expect([changes.length, isCut]).toEqual([100, true]);
  const [one] = stateChanges([{ id: 'x'.repeat(500), n: 1 }], [{ id: 'x'.repeat(500), n: 2 }]).changes;
  expect(one?.path).toHaveLength(84);
});
