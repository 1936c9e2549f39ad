import { expect, test } from 'vitest';
import { localLedger, type SpendBounds, type SpendLedger } from './spend-ledger.ts';

// What every ledger must do. A new implementation is one more line here.
const LEDGERS: readonly (readonly [name: string, open: (bounds: SpendBounds) => SpendLedger])[] = [
  ['local', localLedger],
];

test.each(LEDGERS)('a ledger adds to what earlier runs have spent: %s', (_, open) => {
  const ledger = open({ maxCost: 10, spentBefore: 4 });
  ledger.add(2.5);
  ledger.add(0);
  expect(ledger.total).toBe(6.5);
  expect(ledger.spent.aborted).toBe(false);
});

test.each(LEDGERS)('a ledger says once that its bound is reached, and goes on adding: %s', (_, open) => {
  const ledger = open({ maxCost: 2, spentBefore: 1 });
  let told = 0;
  ledger.spent.addEventListener('abort', () => told++);
  ledger.add(1);
  expect(ledger.spent.reason).toMatchObject({ code: 'run/budget-spent', data: { maxCost: 2, cost: 2 } });
  ledger.add(3);
  expect([ledger.total, told]).toEqual([5, 1]);
  expect(ledger.spent.reason).toMatchObject({ data: { cost: 2 } });
});

test.each(LEDGERS)('a ledger whose bound earlier runs have reached starts spent: %s', (_, open) => {
  expect(open({ maxCost: 1, spentBefore: 1 }).spent.aborted).toBe(true);
  expect(open({ maxCost: 0, spentBefore: 0 }).spent.aborted).toBe(true);
});
