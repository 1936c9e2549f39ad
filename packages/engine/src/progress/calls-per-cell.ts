import type { ColumnCalls } from '../row-group/cell-calls.ts';

/** The cells in the making. */
export function openCells({ begun }: ColumnCalls): number {
  return sum(begun);
}

/** Whether calls have ended, but no cell: they do not tell how many calls a cell takes. */
export function isUntold({ ended, begun }: ColumnCalls): boolean {
  return sum(ended) === 0 && begun.some((cells, calls) => calls > 1 && cells > 0);
}

/** The calls of cells after their first ones, begun or ended. */
export function furtherCalls({ ended, begun }: ColumnCalls): number {
  return sum(
    [...ended, ...begun].map((count, at) => count * Math.max(0, (at < ended.length ? at : at - ended.length) - 1)),
  );
}

/** Draws whether a cell goes on after so many calls, as those so far did; the hazard is that of Kaplan and Meier. */
export function drawsMore({ ended, begun }: ColumnCalls, random: () => number): (calls: number) => boolean {
  const shares: number[] = [];
  let reached = sum(ended) + sum(begun);
  for (let calls = 0; calls < ended.length; calls++) {
    // A cell whose last call is in flight has reached that call only.
    reached -= begun[calls] ?? 0;
    const finished = ended[calls] ?? 0;
    shares.push(reached > 0 ? 1 - finished / reached : 0);
    reached -= finished;
  }
  // Cells that go on after the most calls of a finished one end at least as often as the others did after a call.
  const ends =
    sum(ended) /
    ended.reduce((all, count, calls) => all + count * calls, sum(begun.map((count, calls) => count * (calls - 1))));
  const further = reached > 0 ? (1 - ends) * random() : 0;
  return (begunCalls) => {
    const share = shares[begunCalls] ?? further;
    return share > 0 && (share === 1 || random() < share);
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
