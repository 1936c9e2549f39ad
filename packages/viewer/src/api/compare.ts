import type { Cell } from './cells.ts';
import type { ColumnInfo } from './columns.ts';
import type { DatasetEntry } from './datasets.ts';
import type { RunState } from './overview.ts';

/** Rows of two datasets at the same positions, or of the same rows of their plans. */
export interface ComparePage {
  /** Whether the indexes are rows of the plans, of which the datasets may lack some. */
  readonly arePlanned: boolean;
  /** Columns of either dataset; a cell of a column that a dataset lacks is null. */
  readonly columns: readonly (Pick<ColumnInfo, 'name' | 'shown'> & { readonly in: 'both' | 'left' | 'right' })[];
  /** The rows of the longer dataset. */
  readonly total: number;
  readonly from: number;
  /** The position where the next page begins; null at the end. A page of some rows ends after 20,000 compared rows. */
  readonly next: number | null;
  readonly rows: readonly {
    readonly index: number;
    /** The position of the left row in its dataset; null where it has none. */
    readonly position: number | null;
    /** The position of the right row in its dataset; null where it has none. */
    readonly otherPosition: number | null;
    /** Null where a dataset has no such row. */
    readonly left: readonly Cell[] | null;
    readonly right: readonly Cell[] | null;
    /** The names of the columns that differ. */
    readonly changed: readonly string[];
  }[];
}

/** What measures of rows count: a score, the number in a column, or the size of a text or of a conversation. */
export const MEASURE_KINDS = ['score', 'number', 'characters', 'tokens-read', 'tokens-written', 'cost'] as const;

/** One of them. */
export type MeasureKind = (typeof MEASURE_KINDS)[number];

/** The changes of some consecutive rows of two datasets; a page adds those of all. */
export interface CompareCounts {
  readonly total: number;
  readonly from: number;
  /** The position where the next rows begin; null at the end. */
  readonly next: number | null;
  /** The rows of both datasets. */
  readonly rows: number;
  /** The rows with a difference. */
  readonly changed: number;
  readonly columns: readonly { readonly name: string; readonly changed: number }[];
  readonly measures: readonly MeasureChanges[];
}

/** In how many rows a measure changed. */
export interface MeasureChanges {
  readonly kind: MeasureKind;
  /** The name of its column, or of its score. */
  readonly name: string;
  readonly rose: number;
  readonly fell: number;
  readonly same: number;
  /** The sum of the changes in the rows where it rose. */
  readonly risen: number;
  /** The sum of all changes. */
  readonly sum: number;
}

/** The datasets to compare with, the likeliest one first. */
export interface ComparableList {
  readonly datasets: readonly ComparableDataset[];
}

/** A dataset to compare with. */
export interface ComparableDataset extends DatasetEntry {
  /** Null in a static copy, which would read all its datasets for them. */
  readonly facts: { readonly state: RunState; readonly rows: number; readonly sharedColumns: number } | null;
}
