// The pages of a static copy use this module too: it must not import what needs Node.
import type { ColumnInfo } from '../../api/columns.ts';

/** A row as its dataset stores it. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** One of two datasets. */
export interface ComparedDataset {
  readonly columns: readonly ColumnInfo[];
  /** The scores of judges as columns. */
  readonly scores: readonly ColumnInfo[];
  /** Whether the positions are rows of the plan, of which rows may be missing. */
  readonly isPlanned?: boolean;
  readonly total: number;
  /** The rows at ascending positions, with these columns. */
  readonly at: (
    positions: readonly number[],
    columns: readonly string[],
  ) => Promise<readonly (StoredRow | undefined)[]>;
  /** The position that other pages use; this one unless given. */
  readonly positionOf?: (index: number) => number;
  /** The cost of an answer by its model and its stored usage; absent where no prices are known. */
  readonly costOf?: (model: string | null, usage: StoredRow) => number | null;
}

/** The rows of two datasets at one position. */
export interface RowPair {
  readonly index: number;
  readonly left: StoredRow | undefined;
  readonly right: StoredRow | undefined;
}
