import type { ColumnCalls } from '../row-group/cell-calls.ts';

/** How many calls the cells of a column take. */
export interface CallsPerCell {
  /** The mean of the finished cells; 1 while none is known. */
  readonly finished: number;
  /** The mean that is expected of all cells: those that finish first have fewer calls than others. */
  readonly expected: number;
  /** The calls of cells in the making that have ended. */
  readonly making: number;
  /** The cells in the making. */
  readonly open: number;
  /** The calls by which the last cells of a run end later than their mean: they are made one after the other. */
  readonly tail: number;
  /** Whether calls have ended, but no cell. */
  readonly isUntold: boolean;
}

/** The calls of a cell without counts. */
export const ONE_CALL: CallsPerCell = { finished: 1, expected: 1, making: 0, open: 0, tail: 0, isUntold: false };

/** What the calls of a column tell. The expected mean is that of Kaplan and Meier, which regards unfinished cells as well. */
export function callsPerCell({ ended, begun }: ColumnCalls): CallsPerCell {
  const cells = sum(ended);
  const calls = ended.reduce((total, count, number) => total + count * number, 0);
  const open = sum(begun);
  const making = begun.reduce((total, count, number) => total + count * (number - 1), 0);
  if (cells === 0) return { ...ONE_CALL, making, open, isUntold: making > 0 };
  let expected = 0;
  let surviving = 1;
  /** The cells that have finished a call of the number at hand. */
  let reached = cells + open;
  for (let number = 1; number < Math.max(ended.length, begun.length) && surviving > 0; number++) {
    expected += surviving;
    const finished = ended[number] ?? 0;
    reached -= begun[number] ?? 0;
    if (reached > 0) surviving *= 1 - finished / reached;
    reached -= finished;
  }
  return { finished: calls / cells, expected, making, open, tail: tailOf(ended, { cells, calls }), isUntold: false };
}

/** The share of cells that have no more calls than the last cells of a run. */
const LONG_SHARE = 0.95;

/** When the last cell begins, a long one is ahead, while the others are midway. */
function tailOf(
  ended: readonly number[],
  { cells, calls }: { readonly cells: number; readonly calls: number },
): number {
  const squares = ended.reduce((total, count, number) => total + count * number ** 2, 0);
  let counted = 0;
  const long = ended.findIndex((count) => (counted += count) >= LONG_SHARE * cells);
  return Math.max(0, long - 1 - (squares / (2 * calls) - 1 / 2));
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
