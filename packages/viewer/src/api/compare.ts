import type { Cell } from './cells.ts';

/** Rows of two datasets at the same positions. */
export interface ComparePage {
  /** Columns of either dataset; a cell of a column that a dataset lacks is null. */
  readonly columns: readonly { readonly name: string; readonly in: 'both' | 'left' | 'right' }[];
  /** The rows of the longer dataset. */
  readonly total: number;
  readonly from: number;
  /** The position where the next page begins; null at the end. A page of changed rows ends after 20,000 compared rows. */
  readonly next: number | null;
  readonly rows: readonly {
    readonly index: number;
    /** Null where a dataset has no such row. */
    readonly left: readonly Cell[] | null;
    readonly right: readonly Cell[] | null;
    /** The names of the columns that differ. */
    readonly changed: readonly string[];
  }[];
}
