import { expect, test } from 'vitest';
import { SpendingLimit } from './spending-limit.ts';

test('without a budget a run may spend its own limit, or any amount', () => {
  const limit = new SpendingLimit(undefined);
  expect(limit.isBounded).toBe(false);
  expect(limit.reserve(undefined).amount).toBeNull();
  expect(limit.reserve(3).amount).toBe(3);
});

test('runs reserve their limit and return the unspent part', () => {
  const limit = new SpendingLimit(10);
  const first = limit.reserve(4);
  const second = limit.reserve(undefined);
  expect([first.amount, second.amount]).toEqual([4, 6]);
  expect(() => limit.reserve(1)).toThrow(/is spent or reserved/);
  first.settle(1);
  expect(limit.reserve(100).amount).toBe(3);
});

test('an unknown cost counts as the whole reservation, and a run settles once', () => {
  const limit = new SpendingLimit(10);
  const run = limit.reserve(4);
  run.settle(null);
  run.settle(0);
  expect(limit.reserve(undefined).amount).toBe(6);
});
