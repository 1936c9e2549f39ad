import type { Distribution } from '@data-designer/core';
import type { PricedUsage } from '@data-designer/models';

/** Stands where something could not be calculated (as in NeMo Data Designer). */
export const NOT_CALCULATED = '--';

/** A figure, or the mark that it could not be calculated. */
export type Figure = number | typeof NOT_CALCULATED;

/** Something, or the mark that it could not be calculated. */
export type Calculated<Value> = Value | typeof NOT_CALCULATED;

/** How often values fall between bounds: bins of equal width from `low` to `high`, the last with its upper bound. */
export interface Histogram {
  readonly low: number;
  readonly high: number;
  readonly counts: readonly number[];
}

/** How numbers are spread; `stddev` is that of a sample, null for one number alone. */
export interface NumberProfile {
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly stddev: number | null;
  readonly median: number;
  /** Whether the median is an estimate, as there are too many numbers to sort. */
  readonly isMedianEstimated: boolean;
  readonly histogram: Histogram;
}

/** A value and how many records have it; long text is cut. */
interface Category {
  readonly value: string;
  readonly records: number;
}

/** The most frequent values, the least frequent one, and the records that have none of those listed. */
export interface CategoryProfile {
  readonly top: readonly Category[];
  readonly least: string;
  readonly otherRecords: number;
}

/** Tokens of texts: of a conversation's opening, or of what was written. */
export interface TokenProfile {
  readonly mean: number;
  readonly median: number;
  /** Of the population for what is read, of a sample for what is written (as in NeMo Data Designer). */
  readonly stddev: number | null;
  /** How many records were looked at. */
  readonly records: number;
  readonly histogram: Histogram;
}

/** What is known of one declared column. */
export interface ColumnProfile {
  readonly name: string;
  readonly columnType: string;
  /** Of a sampler, the kind of it. */
  readonly samplerType?: string;
  /** How statistics describe the values that the sampler draws. */
  readonly distribution?: Distribution;
  /** The stored type in the words of PyArrow. */
  readonly storedType: string;
  /** int, float, string, bool, dict, list[…]. */
  readonly dataType: string;
  readonly records: number;
  readonly nulls: Figure;
  /** Distinct values; nested ones are the same whatever the order of their list items. */
  readonly unique: Figure;
  readonly numbers?: Calculated<NumberProfile>;
  readonly categories?: Calculated<CategoryProfile>;
  /** Characters of texts. */
  readonly lengths?: Calculated<NumberProfile>;
  /** Tokens by cl100k_base: read without tools and corrections, and written. */
  readonly inputTokens?: Calculated<TokenProfile>;
  readonly outputTokens?: Calculated<TokenProfile>;
  /** Records whose check was passed. */
  readonly valid?: Figure;
}

/** How strongly numeric columns go together: Pearson's r, null where it is not defined. */
export interface Correlations {
  readonly columns: readonly string[];
  readonly values: readonly (readonly (number | null)[])[];
}

/** Columns that are null in the same records, and how many records those are. */
export interface NullPattern {
  readonly columns: readonly string[];
  readonly records: number;
}

/** The conversations of a column. */
export interface TraceProfile {
  readonly column: string;
  /** Answers of the model by conversation. */
  readonly turns: Calculated<NumberProfile>;
  /** Calls by tool, and how many of them failed; the most frequent first. */
  readonly tools: Calculated<readonly { readonly name: string; readonly calls: number; readonly failed: number }[]>;
}

/** How often each option of a score was given, the most frequent first; with figures where all of them are integers. */
export interface ScoreDistribution {
  readonly records: number;
  readonly options: readonly Category[];
  readonly numbers: NumberProfile | null;
}

/** One score of a judge column. */
export interface ScoreProfile {
  readonly column: string;
  readonly score: string;
  /** How it was given; the mark where a cell is not as a judge writes it. */
  readonly distribution: Calculated<ScoreDistribution>;
  /** What a model says about the reasons; absent where none was asked. */
  readonly summary?: string;
  /** Whether the summary failed; it then says why. */
  readonly isSummaryFailed?: boolean;
}

/** The scores of a judge column; one that could not be read is marked. */
export interface JudgeProfile {
  readonly column: string;
  readonly scores: readonly ScoreProfile[];
}

/** All that is known of a dataset as a whole; plain data. */
export interface DatasetProfile {
  readonly version: 1;
  readonly name: string;
  readonly records: number;
  readonly wanted: number;
  readonly columns: readonly ColumnProfile[];
  /** Columns of the table that are not declared, such as traces. */
  readonly sideEffects: readonly string[];
  /** Null where there are no two columns of numbers. */
  readonly correlations: Correlations | null;
  readonly nullPatterns: readonly NullPattern[];
  readonly traces: readonly TraceProfile[];
  readonly judges: readonly JudgeProfile[];
  readonly usage: Readonly<Record<string, PricedUsage>>;
  readonly cost: number | null;
}
