import { expect, test } from 'vitest';
import { SpendingLimit } from './spending-limit.ts';

test('without a bound a run may spend what it asks for, or anything', () => {
  const limit = new SpendingLimit(undefined);
  expect(limit.isBounded).toBe(false);
  expect(limit.reserve(undefined).amount).toBeNull();
  expect(limit.reserve(3).amount).toBe(3);
});

test('runs set aside what they may spend, and give back what they did not', () => {
  const limit = new SpendingLimit(10);
  const first = limit.reserve(4);
  const second = limit.reserve(undefined);
  expect([first.amount, second.amount]).toEqual([4, 6]);
  expect(() => limit.reserve(1)).toThrow(/Nothing is left/);
  first.settle(1);
  expect(limit.reserve(100).amount).toBe(3);
});

test('what is not known to have been spent counts as spent, and a run settles once', () => {
  const limit = new SpendingLimit(10);
  const run = limit.reserve(4);
  run.settle(null);
  run.settle(0);
  expect(limit.reserve(undefined).amount).toBe(6);
});
