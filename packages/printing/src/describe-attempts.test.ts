import { expect, test } from 'vitest';
import type { AttemptFigures } from '@data-designer/engine';
import { describeAttempts, describePasses, shownAttempts } from './describe-attempts.ts';

const FIRST: AttemptFigures = {
  keep: 'first',
  max: 6,
  rows: 100,
  attempts: 245,
  failedAttempts: 12,
  accepted: 98,
  acceptedAt: [40, 24, 14, 10, 6, 4],
  passAt: [0.4, 0.64, 0.78, 0.88, 0.94, 0.98],
  passRate: 0.4,
  exhausted: [
    { kind: 'refused', reason: 'passed = false', rows: 1, row: 7, verdict: "'until' refused passed = false." },
    { kind: 'failed', reason: 'model/gave-up', rows: 1, row: 9, verdict: 'No answer fits.' },
  ],
  attemptsPerAccepted: 2.5,
  costPerAccepted: 0.125,
};

test('a block is told with its pace, its shares by powers of two and the last one, its cost and its losses', () => {
  expect(describeAttempts({ solve: FIRST })).toEqual([
    "Attempts 'solve': 98 of 100 rows accepted; 2.50 attempts per accepted row; pass@1 40.0%, pass@2 64.0%, pass@4 88.0%, pass@6 98.0%; 245 attempts, 12 with a failed cell; cost 0.13 per accepted row",
    "Attempts 'solve': 1 row not accepted: 'until' refused the last attempt (passed = false)",
    "Attempts 'solve': 1 row not accepted: a cell of the last attempt failed (model/gave-up); in row 9 (from 0): No answer fits.",
  ]);
});

test('a block without until has no shares, and one without a row is not told', () => {
  const pair = { ...FIRST, keep: 'pair', acceptedAt: null, passAt: null, passRate: null } as const;
  const equal = { kind: 'equal_scores', reason: '', rows: 2, row: 3, verdict: 'all have 4.' } as const;
  expect(describeAttempts({ p: { ...pair, failedAttempts: 0, costPerAccepted: null, exhausted: [equal] } })).toEqual([
    "Attempts 'p': 98 of 100 rows with a pair; 2.50 attempts per accepted row; 245 attempts",
    "Attempts 'p': 2 rows not accepted: all scores are equal; in row 3 (from 0): all have 4.",
  ]);
  expect(describeAttempts({ p: { ...pair, rows: 0 } })).toEqual([]);
  expect(describePasses({ ...FIRST, rows: 0, accepted: 0, attemptsPerAccepted: null, passAt: null })).toBe(
    '0 of 0 rows accepted',
  );
});

test('of many attempts the powers of two and the last one are shown', () => {
  expect(shownAttempts(5, 5)).toEqual([1, 2, 3, 4, 5]);
  expect(shownAttempts(100, 16)).toEqual([1, 2, 4, 8, 16, 32, 64, 100]);
  expect(shownAttempts(0, 16)).toEqual([]);
});
