import { expect, test } from 'vitest';
import type { FailedCell } from '@data-designer/core';
import { isolateCells, type Replay } from './isolate-cells.ts';
import type { TaskLoss } from './pool-thread.ts';

const GROUP = { index: 3, firstRow: 30, rows: 30 };

/** Isolates cells of a group whose replay loses its thread to the first unmarked cell of `fatal`. */
async function isolate(fatal: readonly number[], { hung = true, lossesAlone = Infinity } = {}) {
  const recorded: FailedCell[] = [];
  let alone = 0;
  const replay = async ({ group, row }: Replay): Promise<TaskLoss | undefined> => {
    if (row !== undefined && alone++ >= lossesAlone) return undefined;
    const marked = new Set(group.failedCells?.map((cell) => cell.row - GROUP.firstRow));
    const position = fatal.find((one) => !marked.has(one));
    return position === undefined ? undefined : { reason: 'lost', hung, cell: { position, column: 1 } };
  };
  const recovery = {
    failedCells: async () => [],
    replay: () => Promise.reject(new Error('not used')),
    failCell: async (_: number, cell: FailedCell) => void recorded.push(cell),
  };
  let marks = 0;
  const onMarked = () => void marks++;
  const parts = { recovery, columns: ['a', 'b'], replay, onMarked, isOver: () => false };
  const isolated = await isolateCells(GROUP, parts);
  // The threads that a found cell has cost do not count.
  expect(marks).toBe(recorded.length);
  return { ...isolated, recorded };
}

test('a replay that keeps its thread is clean', async () => {
  expect(await isolate([])).toMatchObject({ group: GROUP, verdict: 'clean', recorded: [] });
});

test('every cell that blocks its thread is marked, with its row and column', async () => {
  const { group, verdict, recorded } = await isolate([4, 9]);
  expect(verdict).toBe('marked');
  expect(recorded).toMatchObject([
    { row: 34, column: 'b', failure: { code: 'cell/killed-worker' } },
    { row: 39, column: 'b', failure: { code: 'cell/killed-worker' } },
  ]);
  expect(group.failedCells).toEqual(recorded);
});

test('at most ten cells are marked, since a column may block its thread in every row', async () => {
  const ten = Array.from({ length: 10 }, (_, position) => position);
  expect(await isolate(ten)).toMatchObject({ verdict: 'marked', recorded: { length: 10 } });
  expect(await isolate([...ten, 10])).toMatchObject({ verdict: 'unexplained', recorded: { length: 10 } });
});

test('a cell that ends its thread is marked only if it does so again when its row runs alone', async () => {
  expect(await isolate([4], { hung: false })).toMatchObject({ verdict: 'marked', recorded: { length: 1 } });
  expect(await isolate([4], { hung: false, lossesAlone: 1 })).toMatchObject({ verdict: 'unexplained', recorded: [] });
});

const lossOf = (attempt: number): TaskLoss => ({
  reason: 'lost',
  hung: false,
  cell: { position: 4, column: 1, attempt },
});

test('a cell of an attempt is marked in that attempt alone', async () => {
  const recorded: FailedCell[] = [];
  const noted = [2, 2, 2, 5];
  const parts = {
    recovery: {
      failedCells: async () => [],
      replay: () => Promise.reject(new Error('not used')),
      failCell: async (_: number, cell: FailedCell) => void recorded.push(cell),
    },
    columns: ['a', 'b'],
    replay: async () => {
      const attempt = noted.shift();
      return attempt === undefined ? undefined : lossOf(attempt);
    },
    onMarked: () => {},
    isOver: () => false,
  };
  expect(await isolateCells(GROUP, parts)).toMatchObject({ verdict: 'marked' });
  expect(recorded).toMatchObject([{ row: 34, column: 'b', attempt: 2 }]);
  noted.push(2, 3);
  expect(await isolateCells(GROUP, parts)).toMatchObject({ verdict: 'unexplained' });
});
