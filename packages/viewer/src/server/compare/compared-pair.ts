import { pricesOf, usageOf } from '../record/messages.ts';
import { planRowsOf } from '../record/plan-rows.ts';
import type { ShownDataset } from '../shown-dataset.ts';
import type { ComparedDataset } from './compared-dataset.ts';

/**
 * Two datasets to compare: by the rows of their plans where those are known of both, so that a row that one of them has
 * lost moves no other, else by positions.
 */
export async function comparedPair(
  left: ShownDataset,
  right: ShownDataset,
): Promise<readonly [ComparedDataset, ComparedDataset]> {
  const [one, other] = await Promise.all([comparedAt(left), comparedAt(right)]);
  const [ours, theirs] = await Promise.all([plannedRows(left, one.total), plannedRows(right, other.total)]);
  return ours && theirs ? [byPlan(one, ours), byPlan(other, theirs)] : [one, other];
}

async function comparedAt(dataset: ShownDataset): Promise<ComparedDataset> {
  const [{ columns, scores, plan }, rows] = await Promise.all([dataset.plan(), dataset.currentRows()]);
  const priceOf = pricesOf(plan.models);
  return {
    columns,
    scores,
    total: rows.total,
    at: (positions, names) => rows.at(positions, names),
    costOf: (model, usage) => usageOf(usage, priceOf(model))?.cost ?? null,
  };
}

/** The row of the plan at each position; undefined where one of them is not known. */
async function plannedRows(dataset: ShownDataset, total: number): Promise<readonly number[] | undefined> {
  const { version } = await dataset.currentRows();
  await dataset.failures.refresh();
  return dataset.plannedRows.get(`${version} ${total} ${dataset.failures.cells}`, async () => {
    return (await planRowsOf(dataset)).first(total);
  });
}

/** A dataset by the rows of its plan, which ascend with the positions. */
function byPlan(dataset: ComparedDataset, planned: readonly number[]): ComparedDataset {
  const last = planned.at(-1) ?? -1;
  // Without a missing row they are the positions.
  if (last === planned.length - 1) return { ...dataset, isPlanned: true };
  const positionOf = (row: number): number => lowerBound(planned, row);
  return {
    ...dataset,
    isPlanned: true,
    total: last + 1,
    positionOf,
    at: async (wanted, columns) => {
      const found = wanted.filter((row) => planned[positionOf(row)] === row);
      const rows = await dataset.at(found.map(positionOf), columns);
      const byRow = new Map(found.map((row, at) => [row, rows[at]]));
      return wanted.map((row) => byRow.get(row));
    },
  };
}

/** The position of the first number that is not lower. */
function lowerBound(ascending: readonly number[], wanted: number): number {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ascending[middle] ?? Infinity) < wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}
