import { expect, test } from 'vitest';
import { CellCalls } from '../row-group/cell-calls.ts';
import { callsPerCell } from './calls-per-cell.ts';
import { joinCalls } from './join-calls.ts';

/** The counts of finished cells with so many calls each, and of cells in the making that have begun so many. */
function counted(ended: readonly number[], begun: readonly number[] = []) {
  const calls = new CellCalls(['chat']);
  for (const [row, many] of [...ended, ...begun].entries()) {
    for (let call = 0; call < many; call++) calls.begin('chat', row);
    if (row < ended.length) calls.end('chat', row);
  }
  const { chat } = calls.counts();
  return chat ?? { ended: [], begun: [] };
}

test('cells of one call are as many calls, and a cell without any counts as one', () => {
  const one = { finished: 1, expected: 1, making: 0, open: 0, tail: 0, isUntold: false };
  expect(callsPerCell(counted([1, 1, 1]))).toEqual(one);
  expect(callsPerCell(counted([0]))).toEqual(one);
});

test('cells in the making that have outlived the finished ones raise the mean that is expected', () => {
  expect(callsPerCell(counted([2, 2, 2, 6], []))).toMatchObject({ finished: 3, expected: 3 });
  const { finished, expected, making, open } = callsPerCell(counted([2, 2, 2, 6], [4, 5, 5, 6]));
  expect({ finished, making, open }).toEqual({ finished: 3, making: 16, open: 4 });
  // After two calls five of eight cells go on, and all of them to the end.
  expect(expected).toBeCloseTo(2 + 4 * (5 / 8));
});

test('calls of cells of which none has ended do not tell how many a cell takes', () => {
  expect(callsPerCell(counted([], [3]))).toMatchObject({ making: 2, isUntold: true });
  expect(callsPerCell(counted([], [1]))).toMatchObject({ making: 0, isUntold: false });
});

test('the last of equal chats ends half a chat later than their mean', () => {
  expect(callsPerCell(counted([6, 6, 6])).tail).toBeCloseTo(2.5);
});

test('the counts of row groups are added', () => {
  expect(joinCalls(counted([1]), counted([3, 1], [2]))).toEqual(counted([1, 3, 1], [2]));
});

test('columns that are not counted have no counts', () => {
  const calls = new CellCalls(['chat']);
  calls.begin('other', 0);
  calls.end('other', 0);
  expect(calls.counts()).toEqual({ chat: { ended: [], begun: [] } });
});
