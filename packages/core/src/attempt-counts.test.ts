import { expect, test } from 'vitest';
import { type AttemptsByBlock, joinAttempts } from './attempt-counts.ts';

const refused = (rows: number, row: number, reason = 'passed = false') =>
  ({ kind: 'refused', reason, rows, row, verdict: `verdict of ${row}` }) as const;

const A: AttemptsByBlock = {
  solve: { rows: 5, attempts: 9, failed: 1, accepted: [2, 1], exhausted: [refused(2, 7)] },
};
const B: AttemptsByBlock = {
  solve: { rows: 4, attempts: 8, failed: 2, accepted: [0, 0, 1], exhausted: [refused(3, 4), refused(1, 1, '')] },
  other: { rows: 1, attempts: 1, failed: 0, accepted: [1], exhausted: [] },
};

test('counts add up by block, by number of attempts and by reason, in any order', () => {
  const solve = {
    rows: 9,
    attempts: 17,
    failed: 3,
    accepted: [2, 1, 1],
    exhausted: [refused(5, 4), refused(1, 1, '')],
  };
  expect(joinAttempts(A, B)).toEqual({ solve, other: B['other'] });
  expect(joinAttempts(B, A)).toEqual({ solve, other: B['other'] });
  expect(joinAttempts(A, undefined)).toEqual(A);
});

test('counts without a part of them are those of the other rows', () => {
  const { solve } = joinAttempts(joinAttempts(A, B), B, -1);
  expect(solve).toEqual({
    ...A['solve'],
    accepted: [2, 1, 0],
    exhausted: [{ ...refused(2, 7), row: 4, verdict: 'verdict of 4' }],
  });
});

test('reasons with equal numbers of rows stand in the order of their rows', () => {
  const equal = { rows: 2, attempts: 2, failed: 0, accepted: [], exhausted: [refused(1, 9, 'b'), refused(1, 3, 'c')] };
  expect(joinAttempts({ solve: equal }, {}).solve?.exhausted.map(({ row }) => row)).toEqual([9, 3]);
  expect(
    joinAttempts({ solve: equal }, { solve: { ...equal, exhausted: [] } }).solve?.exhausted.map(({ row }) => row),
  ).toEqual([3, 9]);
});
