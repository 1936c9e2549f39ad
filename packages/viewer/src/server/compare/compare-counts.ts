// The pages of a static copy use this module too: it must not import what needs Node.
import type { CompareCounts } from '../../api/compare.ts';
import type { ComparedDataset } from './compared-dataset.ts';
import { ComparedDatasets } from './compared-datasets.ts';
import { directionOf } from './row-measures.ts';

/** The rows that one request counts: a page shows how far it is. */
const ROWS_PER_REQUEST = 5000;

interface Part {
  readonly from: number;
  readonly signal: AbortSignal;
}

/** The changes of all columns and measures in the rows of two datasets from a position on. */
export async function compareCounts(
  left: ComparedDataset,
  right: ComparedDataset,
  { from, signal }: Part,
): Promise<CompareCounts> {
  const datasets = new ComparedDatasets(left, right);
  const { total, measures } = datasets;
  const to = Math.min(total, from + ROWS_PER_REQUEST);
  const columns = new Map(datasets.columns.flatMap((column) => (column.in === 'both' ? [[column.name, 0]] : [])));
  const counts = measures.map(({ kind, name }) => ({ kind, name, rose: 0, fell: 0, same: 0, risen: 0, sum: 0 }));
  let [rows, changedRows] = [0, 0];
  for await (const block of datasets.pairs(from, to, measures)) {
    signal.throwIfAborted();
    for (const pair of block) {
      if (!pair.left || !pair.right) continue;
      rows++;
      const changed = datasets.changed(pair);
      if (changed.length > 0) changedRows++;
      for (const name of changed) columns.set(name, (columns.get(name) ?? 0) + 1);
      for (const [at, measure] of measures.entries()) {
        const [before, after] = measure.of(pair);
        const count = counts[at];
        const direction = directionOf([before, after]);
        if (!count || direction === undefined) continue;
        count[direction]++;
        const change = (after ?? 0) - (before ?? 0);
        if (change > 0) count.risen += change;
        count.sum += change;
      }
    }
  }
  return {
    total,
    from,
    next: to < total ? to : null,
    rows,
    changed: changedRows,
    columns: Array.from(columns, ([name, changed]) => ({ name, changed })),
    measures: counts,
  };
}
