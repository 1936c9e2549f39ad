import {
  type CalculatedValue,
  type ColumnProfile,
  type DateProfile,
  NOT_CALCULATED,
  percentOf,
  type TokenProfile,
  type ValueProfile,
} from '@data-designer/profile';
import { formatCount, formatPercent, groupThousands, pluralize } from '@data-designer/printing';

/** One column, or a field of a struct, as a table row: texts by heading, `column` first. */
export type ColumnFacts = Readonly<Record<string, string>>;

/** Headings whose cells are text that may wrap. */
export const TEXT_HEADINGS: readonly string[] = ['column', 'values'];

/** The values that a summary names. */
const NAMED_VALUES = 3;
const NAMED_CHARACTERS = 40;

/** The table rows of a column and its fields; all columns of a type have the same headings. */
export function columnFacts(column: ColumnProfile): readonly ColumnFacts[] {
  const { name, samplerType, valid, records, fields = [], omittedFields = 0 } = column;
  const all = fields.length + omittedFields;
  const own = {
    column: name,
    ...valueFacts(column, all === 0 ? '' : pluralize(all, 'field')),
    ...(samplerType === undefined ? {} : { sampler: samplerType }),
    ...('outputTokens' in column
      ? { 'prompt tokens': formatTokens(column.inputTokens), 'answer tokens': formatTokens(column.outputTokens) }
      : {}),
    ...(valid === undefined ? {} : { valid: printPercent(percentOf(valid, records)) }),
  };
  const parts = fields.map(({ path, ...field }) => ({ column: fieldName(name, path), ...valueFacts(field, '') }));
  const omitted = { column: name, values: `${pluralize(omittedFields, 'further field')}, not profiled` };
  return [own, ...parts, ...(omittedFields === 0 ? [] : [omitted])];
}

/** The name of a field of a struct with its path: `person.home.town`. */
function fieldName(column: string, path: readonly string[]): string {
  return [column, ...path].join('.');
}

function valueFacts(value: ValueProfile, fallback: string): ColumnFacts {
  const { dataType, unique, nulls, records, dates } = value;
  const dateType = typeof dates !== 'object' ? dataType : isWholeDays(dates) ? 'date' : 'datetime';
  return {
    'data type': dateType,
    'unique values': withPercent(unique, records),
    nulls: withPercent(nulls, records),
    values: summariseValues(value) || fallback,
  };
}

/** The values in a few words: the constant, the range, the most frequent ones, or the lengths of texts. */
function summariseValues(value: ValueProfile): string {
  const { constant, nulls, records, numbers, dates, categories, lengths } = value;
  if (constant !== undefined) return `constant: ${shorten(constant)}`;
  if (records > 0 && nulls === records) return 'only nulls';
  if (typeof numbers === 'object') {
    const { min, max, mean } = numbers;
    return `${formatFigure(min)} to ${formatFigure(max)}, mean ${formatFigure(mean)}`;
  }
  if (typeof dates === 'object') return `${dates.min} to ${dates.max}, ${mostFrequentDate(value, dates)}`;
  if (typeof categories === 'object') {
    const named = categories.top.slice(0, NAMED_VALUES).map(({ value: text, records: count }) => {
      return `${shorten(text)} ${printPercent(percentOf(count, records))}`;
    });
    const more = typeof value.unique === 'number' ? value.unique - named.length : 0;
    return [...named, ...(more > 0 ? [`${formatCount(more)} more`] : [])].join(', ');
  }
  if (typeof lengths !== 'object') return '';
  const { min, max } = lengths;
  return min === max ? pluralize(min, 'character') : `${formatCount(min)} to ${formatCount(max)} characters`;
}

/** The date that most records have, or the fullest bin if all dates differ. */
function mostFrequentDate({ categories }: ValueProfile, dates: DateProfile): string {
  const [top] = typeof categories === 'object' ? categories.top : [];
  if (top && top.records > 1) {
    const date = isWholeDays(dates) ? top.value.replace(/[T ]00:00:00$/, '') : top.value;
    return `most frequent ${shorten(date)} (${pluralize(top.records, 'record')})`;
  }
  const { unit, starts, counts } = dates.histogram;
  const most = Math.max(...counts);
  const start = starts[counts.indexOf(most)] ?? '';
  return `most frequent ${unit} ${binName(start, unit)} (${pluralize(most, 'record')})`;
}

function binName(start: string, unit: DateProfile['precision']): string {
  if (unit === 'month') return start.slice(0, 7);
  if (unit === 'quarter') return `${start.slice(0, 4)}-Q${Math.ceil(Number(start.slice(5, 7)) / 3)}`;
  if (unit === 'year') return start.slice(0, 4);
  return `from ${unit === 'decade' || unit === 'century' ? start.slice(0, 4) : start}`;
}

/** Whether the dates of a column have no time of day. */
function isWholeDays({ precision }: DateProfile): boolean {
  return ['day', 'month', 'year'].includes(precision);
}

function shorten(text: string): string {
  const shown = text === '' ? '(empty)' : text;
  return shown.length > NAMED_CHARACTERS ? `${shown.slice(0, NAMED_CHARACTERS)}…` : shown;
}

/** A figure: whole numbers in full, others with four significant digits. */
export function formatFigure(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return formatCount(value);
  const short = Number(value.toPrecision(4));
  if (Math.abs(short) < 1e-3 || Math.abs(short) >= 1e15) return String(short);
  const [whole = '', fraction] = String(short).split('.');
  return fraction === undefined ? groupThousands(whole) : `${groupThousands(whole)}.${fraction}`;
}

/** A percentage with one decimal, or the mark that it was not calculated. */
export function printPercent(percent: number | typeof NOT_CALCULATED): string {
  return percent === NOT_CALCULATED ? percent : formatPercent(percent);
}

function withPercent(part: number | typeof NOT_CALCULATED, records: number): string {
  return part === NOT_CALCULATED ? part : `${formatCount(part)} (${printPercent(percentOf(part, records))})`;
}

/** The median and the standard deviation with one decimal. */
function formatTokens(tokens: CalculatedValue<TokenProfile> | undefined): string {
  if (tokens === undefined || tokens === NOT_CALCULATED) return NOT_CALCULATED;
  return `${tokens.median.toFixed(1)} ± ${(tokens.stddev ?? 0).toFixed(1)}`;
}
