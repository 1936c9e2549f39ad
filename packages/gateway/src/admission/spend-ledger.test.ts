import { expect, test } from 'vitest';
import { localLedger, type SpendBounds, type SpendLedger } from './spend-ledger.ts';

// The requirements on every ledger. A new implementation is one more line here.
const LEDGERS: readonly (readonly [name: string, open: (bounds: SpendBounds) => SpendLedger])[] = [
  ['local', localLedger],
];

test.each(LEDGERS)('a ledger adds to the cost of earlier runs: %s', (_, open) => {
  const ledger = open({ maxCost: 10, spentBefore: 4 });
  ledger.add(2.5);
  ledger.add(0);
  expect(ledger.total).toBe(6.5);
  expect(ledger.spent.aborted).toBe(false);
});

test.each(LEDGERS)('a ledger reports once that its bound is reached, and continues to add: %s', (_, open) => {
  const ledger = open({ maxCost: 2, spentBefore: 1 });
  let told = 0;
  ledger.spent.addEventListener('abort', () => told++);
  ledger.add(1);
  expect(ledger.spent.reason).toMatchObject({ code: 'run/budget-spent', data: { maxCost: 2, cost: 2 } });
  ledger.add(3);
  expect([ledger.total, told]).toEqual([5, 1]);
  expect(ledger.spent.reason).toMatchObject({ data: { cost: 2 } });
});

test.each(LEDGERS)('a ledger starts spent if earlier runs have reached its bound: %s', (_, open) => {
  expect(open({ maxCost: 1, spentBefore: 1 }).spent.aborted).toBe(true);
  expect(open({ maxCost: 0, spentBefore: 0 }).spent.aborted).toBe(true);
});
