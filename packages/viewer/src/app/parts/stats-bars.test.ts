import { expect, test } from 'vitest';
import { joinedConditions } from './stats-bars.tsx';

const bin = (low: number, high: number) => ({ column: 'n', op: 'between', low, high }) as const;
const score = (value: number) => ({ column: 'grade', path: ['Tone', 'score'], op: 'equals', value }) as const;
const week = (low: string, high: string | null) => ({ column: 'seen', op: 'dates', low, high }) as const;

test('neighbouring bars of ranges join to one range', () => {
  const last = { ...bin(20, 30), isLast: true } as const;
  expect(joinedConditions([bin(0, 10), bin(10, 20)])).toEqual(bin(0, 20));
  expect(joinedConditions([bin(10, 20), last])).toEqual({ ...bin(10, 30), isLast: true });
});

test('neighbouring bars of values join to a list, at the place of their member', () => {
  expect(joinedConditions([score(1), score(2)])).toEqual({
    column: 'grade',
    path: ['Tone', 'score'],
    op: 'one-of',
    values: [1, 2],
  });
});

test('one bar is its own condition, and no bar is none', () => {
  expect(joinedConditions([bin(0, 10)])).toEqual(bin(0, 10));
  expect(joinedConditions([])).toBeUndefined();
});

test('bars of dates join to a range that may be open', () => {
  expect(joinedConditions([week('2026-01-05', '2026-01-12'), week('2026-01-12', null)])).toEqual(
    week('2026-01-05', null),
  );
});
