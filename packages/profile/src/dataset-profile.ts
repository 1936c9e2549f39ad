import type { Distribution } from '@data-designer/core';
import type { AttemptFigures, RunFindings } from '@data-designer/engine';
import type { PricedUsage } from '@data-designer/models';
import type { SelectionProfile } from './selection-profile.ts';

/** The mark of a figure that could not be calculated (as in NeMo Data Designer). */
export const NOT_CALCULATED = '--';

/** A number, or the mark. */
export type Figure = number | typeof NOT_CALCULATED;

/** A result, or the mark. */
export type CalculatedValue<Value> = Value | typeof NOT_CALCULATED;

/** Counts in bins of equal width from `low` to `high`; the last bin includes `high`. */
export interface Histogram {
  readonly low: number;
  readonly high: number;
  readonly counts: readonly number[];
}

/** The distribution of numbers; `stddev` is that of a sample, null for a single number. */
export interface NumberProfile {
  /** The number of values. */
  readonly count: number;
  /** The lowest value. */
  readonly min: number;
  /** The highest value. */
  readonly max: number;
  /** The mean. */
  readonly mean: number;
  /** The standard deviation of a sample; null for a single value. */
  readonly stddev: number | null;
  /** The median. */
  readonly median: number;
  /** Whether the median is an estimate: there are too many numbers to sort. */
  readonly isMedianEstimated: boolean;
  /** The counts of values in bins. */
  readonly histogram: Histogram;
}

/** A value and the number of records with it; long text is cut. */
interface Category {
  readonly value: string;
  readonly records: number;
}

/** The most frequent values, the least frequent one, and the number of records with other values. */
export interface CategoryProfile {
  /** The most frequent values. */
  readonly top: readonly Category[];
  /** The least frequent value. */
  readonly least: string;
  /** The number of records with other values. */
  readonly otherRecords: number;
}

/** Token counts of first prompts, or of answers. */
export interface TokenProfile {
  /** The mean. */
  readonly mean: number;
  /** The median. */
  readonly median: number;
  /** Of the population for prompts, of a sample for answers (as in NeMo Data Designer). */
  readonly stddev: number | null;
  /** The number of records counted. */
  readonly records: number;
  /** The counts of records in bins. */
  readonly histogram: Histogram;
}

/** The width of the bins of a date histogram; weeks start on Mondays. */
export type DateUnit =
  | 'second'
  | '10 seconds'
  | 'minute'
  | '10 minutes'
  | 'hour'
  | '6 hours'
  | 'day'
  | 'week'
  | 'month'
  | 'quarter'
  | 'year'
  | 'decade'
  | 'century';

/** The distribution of dates and times, as ISO 8601: those with an offset in UTC, the others as they are written. */
export interface DateProfile {
  /** The number of values. */
  readonly count: number;
  /** The earliest one. */
  readonly min: string;
  /** The latest one. */
  readonly max: string;
  /** The largest unit that all values are whole multiples of. */
  readonly precision: DateUnit;
  /** The counts of values in bins of calendar units, with the start of each bin. */
  readonly histogram: {
    readonly unit: DateUnit;
    readonly starts: readonly string[];
    readonly counts: readonly number[];
  };
}

/** Statistics of the values of a column, or of a field of a struct. */
export interface ValueProfile {
  /** The stored type as PyArrow writes it. */
  readonly storedType: string;
  /** int, float, string, bool, dict, list[…]. */
  readonly dataType: string;
  /** The number of records. */
  readonly records: number;
  /** The number of records without a value. */
  readonly nulls: Figure;
  /** Distinct values; the order of list items does not count. */
  readonly unique: Figure;
  /** The value of all records, as text, if two or more records have the same one; long text is cut. */
  readonly constant?: string;
  /** The distribution of numbers. */
  readonly numbers?: CalculatedValue<NumberProfile>;
  /** The most frequent values. */
  readonly categories?: CalculatedValue<CategoryProfile>;
  /** Characters of texts that are not dates. */
  readonly lengths?: CalculatedValue<NumberProfile>;
  /** The distribution of dates, if all texts are dates. */
  readonly dates?: CalculatedValue<DateProfile>;
}

/** The profile of a field of a struct, at any depth. */
export interface FieldProfile extends ValueProfile {
  /** The names from the outermost struct to the field. */
  readonly path: readonly string[];
}

/** The profile of a declared column. */
export interface ColumnProfile extends ValueProfile {
  /** The name of the column. */
  readonly name: string;
  /** Its `column_type`. */
  readonly columnType: string;
  /** The sampler type of a sampler column. */
  readonly samplerType?: string;
  /** How statistics describe the values that the sampler draws. */
  readonly distribution?: Distribution;
  /** The values of the first three records, as text; long text is cut. */
  readonly examples: readonly (string | null)[];
  /** The fields of a struct that are not structs themselves. */
  readonly fields?: readonly FieldProfile[];
  /** The number of further fields, which are not profiled. */
  readonly omittedFields?: number;
  /** Tokens in cl100k_base; those of the input without tool turns and corrections. */
  readonly inputTokens?: CalculatedValue<TokenProfile>;
  /** Tokens of the answers in cl100k_base. */
  readonly outputTokens?: CalculatedValue<TokenProfile>;
  /** Records that passed their validation. */
  readonly valid?: Figure;
}

/** Pearson's r of numeric columns; null where it is undefined. */
export interface Correlations {
  /** The columns, in the order of rows and columns of `values`. */
  readonly columns: readonly string[];
  /** The matrix of coefficients. */
  readonly values: readonly (readonly (number | null)[])[];
}

/** Columns that are null in the same records, and the number of these records. */
export interface NullPattern {
  /** The columns. */
  readonly columns: readonly string[];
  /** The number of records. */
  readonly records: number;
}

/** The profile of a column's conversations. */
export interface TraceProfile {
  /** The column. */
  readonly column: string;
  /** Turns of the user in a conversation; answers of the model in a trace. */
  readonly turns: CalculatedValue<NumberProfile>;
  /** Characters of the texts in a conversation. */
  readonly lengths?: CalculatedValue<NumberProfile>;
  /** Why conversations ended, the most frequent first; absent where no column says so. */
  readonly ends?: CalculatedValue<readonly Category[]>;
  /** The turns of the user, from 1: conversations that have the turn, and tool calls in it; absent without tool calls. */
  readonly toolTurns?: CalculatedValue<readonly ToolTurn[]>;
  /** Calls and failed calls by tool, the most frequent first. */
  readonly tools: CalculatedValue<
    readonly { readonly name: string; readonly calls: number; readonly failed: number }[]
  >;
}

/** The tool calls in one turn of all conversations of a column. */
export interface ToolTurn {
  /** The turn, from 1. */
  readonly turn: number;
  /** Conversations that have the turn. */
  readonly conversations: number;
  /** Tool calls in the turn. */
  readonly calls: number;
}

/** The frequency of each option of a score, the most frequent first; with figures if all options are integers. */
export interface ScoreDistribution {
  readonly records: number;
  readonly options: readonly Category[];
  readonly numbers: NumberProfile | null;
}

/** One score of a judge column. */
export interface ScoreProfile {
  readonly column: string;
  readonly score: string;
  /** The mark if a cell has no score or no reason. */
  readonly distribution: CalculatedValue<ScoreDistribution>;
  /** A model's summary of the reasons, if one was requested. */
  readonly summary?: string;
  /** Whether the summary failed; `summary` then says why. */
  readonly isSummaryFailed?: boolean;
}

/** The scores of a judge column. */
export interface JudgeProfile {
  /** The judge column. */
  readonly column: string;
  /** Its scores. */
  readonly scores: readonly ScoreProfile[];
}

/** The profile of a dataset: plain data. */
export interface DatasetProfile {
  /** The version of this form. */
  readonly version: 1;
  /** The name of the dataset. */
  readonly name: string;
  /** The number of records. */
  readonly records: number;
  /** The number of requested records. */
  readonly wanted: number;
  /** The declared columns, in the order of the table. */
  readonly columns: readonly ColumnProfile[];
  /** Columns of the table that are not declared, such as traces. */
  readonly sideEffects: readonly string[];
  /** Null unless two numeric columns vary. */
  readonly correlations: Correlations | null;
  /** The sets of columns that are null in the same records, the most frequent first. */
  readonly nullPatterns: readonly NullPattern[];
  /** The conversations, by column. */
  readonly traces: readonly TraceProfile[];
  /** The scores, by judge column. */
  readonly judges: readonly JudgeProfile[];
  /** Requests, tokens and costs, by model alias. */
  readonly usage: Readonly<Record<string, PricedUsage>>;
  /** The cost of all answers in the currency of the prices; null if a model has no price. */
  readonly cost: number | null;
  /** The problems of the run: lost rows, failed cells and tool calls, answers with flaws. */
  readonly findings: RunFindings;
  /** The attempts at rows, by block; absent without a block. */
  readonly attempts?: Readonly<Record<string, AttemptFigures>>;
  /** How the rows were selected; absent without a selection. */
  readonly selection?: SelectionProfile;
}
