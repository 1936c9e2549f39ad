import type { Cell, Media } from './cells.ts';
import type { Condition } from './filter.ts';

/** The requested rows; fewer where the dataset ends. */
export interface RowsPage {
  readonly version: string;
  /** The rows within the filter. */
  readonly total: number;
  readonly from: number;
  readonly columns: readonly string[];
  readonly rows: readonly {
    /** The position in the dataset, from 0. */
    readonly index: number;
    /** In the order of `columns`. */
    readonly cells: readonly Cell[];
    /** The columns in which the search finds its text, also where a cell is cut; absent without a search. */
    readonly hits?: readonly string[];
    /** The pictures and sounds of the cells by column; absent without any. */
    readonly media?: Readonly<Record<string, readonly Media[]>>;
  }[];
}

/** Some rows of a filter by their positions in the dataset, in the order of the filter. */
export interface RowOrder {
  readonly version: string;
  /** The rows within the filter. */
  readonly total: number;
  /** The place of the first one within the filter, from 0. */
  readonly from: number;
  /** Empty if the filter leaves the row out. */
  readonly indexes: readonly number[];
}

/** Statistics in the order of the request. */
export interface StatsAnswer {
  readonly version: string;
  readonly stats: readonly ColumnStats[];
}

/** The values of a column within a filter. */
export interface ColumnStats {
  readonly column: string;
  readonly rows: number;
  readonly nulls: number;
  /** `bins` of numbers, dates and text lengths; `values` are the most frequent ones; `none` for nested data. */
  readonly kind: 'bins' | 'values' | 'none';
  readonly bars: readonly Bar[];
  /** Rows with values that have no bar. */
  readonly others: number;
  /** About how many different values there are; null where that is not counted. */
  readonly distinct: number | null;
  /** Of numbers and dates, as text; null for others. */
  readonly low: string | null;
  readonly high: string | null;
  readonly mean: number | null;
  /** The mean number of characters of texts; null for other values. */
  readonly meanLength: number | null;
  /** The statistics of members of a struct that have a distribution, such as judge scores. */
  readonly members: readonly (Omit<ColumnStats, 'column' | 'members'> & { readonly path: readonly string[] })[];
}

/** One bar; a click adds its condition to the filter. */
export interface Bar {
  readonly label: string;
  readonly count: number;
  readonly condition: Condition;
}
