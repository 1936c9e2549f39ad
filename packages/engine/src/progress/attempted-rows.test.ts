import { expect, test } from 'vitest';
import type { AttemptCounts, PlannedAttempts } from '@data-designer/core';
import { expectedAttempts } from '../attempt-figures.ts';
import { AttemptedRows } from './attempted-rows.ts';

const BLOCK: PlannedAttempts = {
  name: 'solve',
  columns: ['solution', 'verdict'],
  decision: 'verdict',
  keep: 'first',
  max: 8,
  onExhausted: 'drop_row',
  writes: [],
};

/** The counts after so many rows, of which these were accepted by number of attempts. */
function countsOf(rows: number, attempts: number, accepted: readonly number[]): { readonly solve: AttemptCounts } {
  return { solve: { rows, attempts, failed: 0, accepted, exhausted: [] } };
}

const cellsOf = (solution: number, verdict: number, other: number) =>
  new Map([
    ['solution', solution],
    ['verdict', verdict],
    ['other', other],
  ]);

test('a row takes as many attempts as a geometric distribution that is cut off', () => {
  expect(expectedAttempts(0.4, 8)).toBeCloseTo(2.458, 3);
  expect(expectedAttempts(1, 8)).toBe(1);
  expect(expectedAttempts(0, 8)).toBe(8);
});

test('cells of a block count as rows: those whose attempts have ended, and a share of one for each further attempt', () => {
  const rows = new AttemptedRows({ attempts: [BLOCK] }, {}, 0);
  const attempts = countsOf(10, 20, [5, 0, 5]);
  // Ten further attempts at other rows, none accepted: 10 of 30 attempts are.
  const counted = { attempts, cells: cellsOf(30, 25, 7) };
  const perRow = expectedAttempts(10 / 30, 8);
  expect(rows.perRow(counted).get('solution')).toBeCloseTo(perRow);
  expect(rows.rowsOf(counted).get('solution')).toBeCloseTo(10 + 10 / perRow);
  expect(rows.rowsOf(counted).get('verdict')).toBeCloseTo(10 + 5 / expectedAttempts(10 / 25, 8));
  expect(rows.rowsOf(counted).get('other')).toBe(7);
});

test('rows of earlier runs count as they are, and their attempts for the pass rate', () => {
  const rows = new AttemptedRows({ attempts: [BLOCK] }, countsOf(50, 100, [0, 50]), 60);
  const none = { attempts: countsOf(50, 100, [0, 50]), cells: cellsOf(60, 60, 60) };
  expect(rows.rowsOf(none).get('solution')).toBe(60);
  const counted = { attempts: countsOf(54, 108, [0, 54]), cells: cellsOf(60 + 12, 60, 60) };
  expect(rows.rowsOf(counted).get('solution')).toBeCloseTo(64 + 4 / expectedAttempts(54 / 112, 8));
});

test('a block that makes all its attempts takes as many for each row, and a new one as many as it may', () => {
  const best = { ...BLOCK, keep: 'best' } as const;
  const counted = { attempts: countsOf(2, 16, [0, 0, 0, 0, 0, 0, 0, 2]), cells: cellsOf(24, 16, 0) };
  expect(new AttemptedRows({ attempts: [best] }, {}, 0).rowsOf(counted).get('solution')).toBe(3);
  const begun = { attempts: {}, cells: cellsOf(4, 0, 0) };
  expect(new AttemptedRows({ attempts: [BLOCK] }, {}, 0).rowsOf(begun).get('solution')).toBe(0.5);
});
