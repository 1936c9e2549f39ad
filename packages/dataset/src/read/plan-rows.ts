import { type Plan, type RowGroup, rowGroups } from '@data-designer/core';
import type { DatasetRows } from './dataset-rows.ts';

/** The row of the plan at a position, and its row group; null where that is not known. */
export interface PlanRow {
  readonly planRow: number | null;
  readonly group: number | null;
}

/**
 * The rows of a plan at the positions of a dataset. They are known where a row group has as many rows as failed cells have
 * left, and neither a processor nor a selection has changed the rows.
 */
export class PlanRows {
  readonly #places: Pick<DatasetRows, 'placeOf' | 'groupAt'>;
  readonly #lost: ReadonlySet<number>;
  /** Each at its index. */
  readonly #groups: readonly RowGroup[];
  readonly #kept = new Map<number, readonly number[]>();

  /** `lost` are the rows that failed cells have removed. */
  constructor(plan: Plan, places: Pick<DatasetRows, 'placeOf' | 'groupAt'>, lost: ReadonlySet<number>) {
    this.#places = places;
    this.#lost = lost;
    const changesRows = plan.select !== undefined || plan.processors.some(({ process }) => process !== null);
    this.#groups = changesRows ? [] : [...rowGroups(plan)];
  }

  at(position: number): PlanRow {
    const place = this.#places.placeOf(position);
    const group = place && this.#groups[place.group];
    if (!place || !group) return { planRow: null, group: place?.group ?? null };
    const kept = this.#keptRows(group);
    return { planRow: kept.length === place.rows ? (kept[place.offset] ?? null) : null, group: place.group };
  }

  /** The rows of the plan at the first positions, in their order; undefined unless all of them are known. */
  first(count: number): readonly number[] | undefined {
    const rows: number[] = [];
    while (rows.length < count) {
      const { planRow } = this.at(rows.length);
      if (planRow === null) return undefined;
      rows.push(planRow);
    }
    return rows;
  }

  /** The position of a row of the plan; null for a row that is missing, and where that is not known. */
  positionOf(planRow: number): number | null {
    const group = this.#groups.find(({ firstRow, rows }) => planRow >= firstRow && planRow < firstRow + rows);
    const stored = group && this.#places.groupAt(group.index);
    if (!stored) return null;
    const kept = this.#keptRows(group);
    const offset = kept.indexOf(planRow);
    return offset !== -1 && kept.length === stored.rows ? stored.start + offset : null;
  }

  /** The rows of a group that no failed cell has removed. */
  #keptRows({ index, firstRow, rows }: RowGroup): readonly number[] {
    const known = this.#kept.get(index);
    if (known) return known;
    const kept = Array.from({ length: rows }, (_, offset) => firstRow + offset).filter((row) => !this.#lost.has(row));
    this.#kept.set(index, kept);
    return kept;
  }
}
