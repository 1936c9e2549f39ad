import {
  type Calculated,
  type ColumnProfile,
  NOT_CALCULATED,
  percentOf,
  type TokenProfile,
} from '@data-designer/profile';
import { formatCount } from '../printing/format-numbers.ts';

/** One column as a table row: texts by heading. */
export type ColumnFacts = Readonly<Record<string, string>>;

/** The table row of a column; all columns of a type have the same headings. */
export function columnFacts(column: ColumnProfile): ColumnFacts {
  const { dataType, unique, nulls, records, samplerType, valid } = column;
  return {
    'data type': dataType,
    'unique values': withPercent(unique, records),
    nulls: withPercent(nulls, records),
    ...(samplerType === undefined ? {} : { sampler: samplerType }),
    ...('outputTokens' in column
      ? { 'prompt tokens': formatTokens(column.inputTokens), 'answer tokens': formatTokens(column.outputTokens) }
      : {}),
    ...(valid === undefined ? {} : { valid: formatPercent(percentOf(valid, records)) }),
  };
}

/** A figure: whole numbers in full, others with four significant digits. */
export function formatFigure(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return formatCount(value);
  const short = Number(value.toPrecision(4));
  return Math.abs(short) >= 1e-3 && Math.abs(short) < 1e15
    ? short.toLocaleString('en', { maximumFractionDigits: 6 })
    : String(short);
}

/** A share in percent with one decimal. */
export function formatPercent(percent: number | typeof NOT_CALCULATED): string {
  return percent === NOT_CALCULATED ? percent : `${percent.toFixed(1)}%`;
}

function withPercent(part: number | typeof NOT_CALCULATED, records: number): string {
  return part === NOT_CALCULATED ? part : `${formatCount(part)} (${formatPercent(percentOf(part, records))})`;
}

/** The median and the standard deviation with one decimal. */
function formatTokens(tokens: Calculated<TokenProfile> | undefined): string {
  if (tokens === undefined || tokens === NOT_CALCULATED) return NOT_CALCULATED;
  return `${tokens.median.toFixed(1)} ± ${(tokens.stddev ?? 0).toFixed(1)}`;
}
