import { expect, test } from 'vitest';
import { CellCalls } from '../row-group/cell-calls.ts';
import { drawsMore, furtherCalls, isUntold, openCells } from './calls-per-cell.ts';
import { joinCalls } from './join-calls.ts';

/** The counts of finished cells with so many calls each, and of cells in the making that have begun so many. */
function counted(ended: readonly number[], begun: readonly number[] = []) {
  const calls = new CellCalls(['chat']);
  for (const [row, many] of [...ended, ...begun].entries()) {
    for (let call = 0; call < many; call++) calls.begin('chat', row, call === 1 ? 'tool' : undefined);
    if (row < ended.length) calls.end('chat', row);
  }
  const { chat } = calls.counts();
  return chat ?? { ended: [], begun: [], tools: 0 };
}

/** The share of draws after which a cell goes on. */
function shareOfMore(counts: ReturnType<typeof counted>, calls: number, random: () => number = () => 1 / 2): number {
  const draws = Array.from({ length: 1000 }, (_, at) => (at + 0.5) / 1000);
  let at = 0;
  const goesOn = drawsMore(counts, () => (at === 0 ? random() : (draws[at - 1] ?? 0)));
  return draws.filter(() => at++ >= 0 && goesOn(calls)).length / draws.length;
}

test('cells end after as many calls as the finished ones, of which those in the making are regarded too', () => {
  const counts = counted([2, 2, 2, 6], [4, 5, 5, 6]);
  expect(shareOfMore(counts, 1)).toBe(1);
  // After two calls five of eight cells go on, and all of them to the sixth.
  expect(shareOfMore(counts, 2)).toBeCloseTo(5 / 8, 2);
  expect(shareOfMore(counts, 4)).toBe(1);
  expect(shareOfMore(counts, 6)).toBe(0);
});

test('a cell whose last call is in flight does not tell whether it goes on', () => {
  expect(shareOfMore(counted([3, 3], [2, 2, 2]), 2)).toBe(1);
  expect(shareOfMore(counted([2, 3], [2, 2, 2]), 2)).toBeCloseTo(1 / 2, 2);
});

test('cells that outlive all finished ones go on for a while', () => {
  const alive = counted([1, 1, 1, 1], [3, 3, 3, 3]);
  expect(shareOfMore(alive, 3)).toBeCloseTo((1 - 4 / 12) / 2, 2);
  expect(shareOfMore(counted([1, 1, 1, 1]), 3)).toBe(0);
});

test('calls of cells of which none has ended do not tell how many a cell takes', () => {
  expect([counted([], [3]), counted([], [1]), counted([1], [3])].map(isUntold)).toEqual([true, false, false]);
});

test('cells in the making, further calls and calls of tools are counted', () => {
  const counts = counted([1, 4], [2, 3]);
  expect([openCells(counts), furtherCalls(counts), counts.tools]).toEqual([2, 6, 3]);
});

test('the counts of row groups are added', () => {
  expect(joinCalls(counted([1]), counted([3, 1], [2]))).toEqual(counted([1, 3, 1], [2]));
});

test('columns that are not counted have no counts', () => {
  const calls = new CellCalls(['chat']);
  calls.begin('other', 0);
  calls.end('other', 0);
  expect(calls.counts()).toEqual({ chat: { ended: [], begun: [], tools: 0 } });
});
