import type { ArrowField, CellValue } from '@data-designer/core';
import type { CalculatedValue, CategoryProfile, ColumnProfile, ValueProfile } from '../dataset-profile.ts';
import type { FirstTexts } from './first-texts.ts';
import type { ProfiledTable, ProfiledValue } from './profiled-table.ts';

/** The figures of the distribution of numbers or dates, or of the lengths of other texts. */
export type Spread = Pick<ValueProfile, 'numbers' | 'dates' | 'lengths'>;

/** A sampled record and its position in the dataset. */
export interface SampledRow {
  readonly position: number;
  readonly row: Readonly<Record<string, CellValue>>;
}

/** Counts what a profile says of the rows of a dataset. */
export interface TableStatistics {
  /** The number of rows. */
  readonly records: number;
  /** The rows as a SQL table; undefined where nothing in the profile needs one. */
  readonly sql: ProfiledTable | undefined;
  /** The result of a calculation, or the mark that it failed. */
  calculated<Value>(calculate: () => Promise<Value>): Promise<CalculatedValue<Value>>;
  /** The number of records with a value, for each of some values. */
  counts(values: readonly ProfiledValue[]): Promise<readonly number[]>;
  /** The first texts of some values. */
  firstTexts(values: readonly ProfiledValue[]): Promise<readonly FirstTexts[]>;
  /** Distinct values; the order of list items does not count. */
  unique(value: ProfiledValue): Promise<number>;
  /** The distribution of a value, of which the first texts and the declared format of dates are known. */
  spread(value: ProfiledValue, known: { readonly first: FirstTexts; readonly dateFormat?: unknown }): Promise<Spread>;
  /** The most frequent values, ties in the order of their texts; undefined if all are null. */
  categories(value: ProfiledValue, limit: number): Promise<CategoryProfile | undefined>;
  /** Pearson's r of pairs of columns; NaN, null or infinite where it is undefined. */
  correlations(pairs: readonly (readonly [ColumnProfile, ColumnProfile])[]): Promise<readonly unknown[]>;
  /** The sets of columns that are null together, as bits in the order of their names; the most frequent `limit`. */
  nullPatterns(
    names: readonly string[],
    limit: number,
  ): Promise<readonly (readonly [pattern: bigint, records: number])[]>;
  /** About the bytes of a row in some columns. */
  rowBytes(fields: readonly ArrowField[]): Promise<number>;
  /** The rows at some positions in order, all without positions, with the values of some columns at least. */
  rows(fields: readonly ArrowField[], positions?: readonly number[]): Promise<readonly SampledRow[]>;
}
