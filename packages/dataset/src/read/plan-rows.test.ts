import type { Plan } from '@data-designer/core';
import { expect, test } from 'vitest';
import { PlanRows } from './plan-rows.ts';

/** Two row groups of three rows; those that the dataset has of each. */
function planRows(stored: readonly [number, number], lost: readonly number[], plan: object = {}) {
  const starts = [0, stored[0]];
  const groupAt = (group: number) => ({ start: starts[group] ?? 0, rows: stored[group] ?? 0 });
  const placeOf = (position: number) => {
    const group = position < stored[0] ? 0 : 1;
    const rows = stored[group] ?? 0;
    const offset = position - (starts[group] ?? 0);
    return offset < rows ? { group, offset, rows } : undefined;
  };
  const segments = [{ firstRow: 0, rows: 6, groupSize: 3 }];
  const whole = { processors: [], segments, ...plan } as unknown as Plan;
  return new PlanRows(whole, { placeOf, groupAt }, new Set(lost));
}

const rowsAt = (rows: PlanRows, count: number) =>
  Array.from({ length: count }, (_, position) => rows.at(position).planRow);

test('a position is the row of the plan that no failed cell has removed before it', () => {
  const rows = planRows([2, 3], [1]);
  expect(rowsAt(rows, 6)).toEqual([0, 2, 3, 4, 5, null]);
  expect([0, 1, 2, 3, 5].map((row) => rows.positionOf(row))).toEqual([0, null, 1, 2, 4]);
  expect(rows.at(1)).toEqual({ planRow: 2, group: 0 });
  expect([rows.first(5), rows.first(6)]).toEqual([[0, 2, 3, 4, 5], undefined]);
});

test('rows of a group with another number of rows than failures have left are not known', () => {
  const rows = planRows([2, 3], []);
  expect(rowsAt(rows, 5)).toEqual([null, null, 3, 4, 5]);
  expect([0, 4].map((row) => rows.positionOf(row))).toEqual([null, 3]);
  expect(rows.at(0)).toEqual({ planRow: null, group: 0 });
});

test.each([{ select: {} }, { processors: [{ process: {} }] }])('nothing is known where %j changes the rows', (plan) => {
  const rows = planRows([3, 3], [], plan);
  expect(rowsAt(rows, 2)).toEqual([null, null]);
  expect(rows.positionOf(0)).toBeNull();
});
