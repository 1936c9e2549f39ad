import { type Plan, type RowGroup, rowGroups } from '@data-designer/core';
import type { ShownDataset } from '../shown-dataset.ts';

/** The row of the plan at a position, and its row group; null where that is not known. */
export interface PlanRow {
  readonly planRow: number | null;
  readonly group: number | null;
}

/**
 * The rows of the plan at positions of the dataset. They are known where a row group has as many rows as failed cells have
 * left, and neither a processor nor a selection has changed the rows.
 */
export async function planRowsOf(dataset: ShownDataset, indexes: readonly number[]): Promise<readonly PlanRow[]> {
  const { plan } = await dataset.plan();
  const rows = await dataset.currentRows();
  const groups = groupsOf(plan);
  const keptByGroup = new Map<number, readonly number[]>();
  const found: PlanRow[] = [];
  for (const index of indexes) {
    const place = rows.placeOf(index);
    const group = place && groups?.get(place.group);
    if (!place || !group) {
      found.push({ planRow: null, group: place?.group ?? null });
      continue;
    }
    const kept = keptByGroup.get(place.group) ?? (await keptRows(dataset, group));
    keptByGroup.set(place.group, kept);
    found.push({ planRow: kept.length === place.rows ? (kept[place.offset] ?? null) : null, group: place.group });
  }
  return found;
}

/** The positions of rows of the plan; null for rows that are missing, and where that is not known. */
export async function positionsOf(
  dataset: ShownDataset,
  planRows: readonly number[],
): Promise<readonly (number | null)[]> {
  const { plan } = await dataset.plan();
  const rows = await dataset.currentRows();
  const groups = [...(groupsOf(plan)?.values() ?? [])];
  const positions: (number | null)[] = [];
  for (const row of planRows) {
    const group = groups.find(({ firstRow, rows: count }) => row >= firstRow && row < firstRow + count);
    const stored = group && rows.groupAt(group.index);
    const kept = group && stored ? await keptRows(dataset, group) : [];
    const offset = kept.indexOf(row);
    positions.push(stored && offset !== -1 && kept.length === stored.rows ? stored.start + offset : null);
  }
  return positions;
}

function groupsOf(plan: Plan): ReadonlyMap<number, RowGroup> | undefined {
  const changesRows = plan.select !== undefined || plan.processors.some(({ process }) => process !== null);
  return changesRows ? undefined : new Map(Array.from(rowGroups(plan), (group) => [group.index, group]));
}

/** The rows of a group that no failed cell has removed. */
async function keptRows({ failures }: ShownDataset, { firstRow, rows }: RowGroup): Promise<readonly number[]> {
  await failures.refresh();
  const lost = failures.lostRows;
  return Array.from({ length: rows }, (_, offset) => firstRow + offset).filter((row) => !lost.has(row));
}
