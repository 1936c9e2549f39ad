// The pages of a static copy use this module too: it must not import what needs Node.
import type { ArrowType } from '@data-designer/core';
import type { Condition } from '../../api/filter.ts';
import type { Bar, ColumnStats } from '../../api/table.ts';

/** The bars of a histogram. */
const BINS = 20;
/** The bars of frequent values. */
const SHOWN_VALUES = 12;
/** A column with more different values has a histogram, or is described by the length of its texts. */
const MAX_VALUES = 50;
/** A column of whole numbers with more different values has a histogram. */
const MAX_NUMBERS = 20;
/** Longer texts are described by their lengths. */
const MAX_VALUE_LENGTH = 200;

/** How the values of a column are counted. */
export type MeasureKind = 'number' | 'integer' | 'moment' | 'date' | 'time' | 'text' | 'bool' | 'none';

/** A value of every row that is counted: a column, or a member of one. */
export interface MeasuredValue {
  readonly column: { readonly name: string };
  readonly path: readonly string[];
  readonly kind: MeasureKind;
}

/** The extent of the counted values: numbers, seconds since 1970 or midnight, or lengths of texts. */
export interface Extent {
  readonly rows: number;
  readonly nulls: number;
  readonly distinct: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly mean: number | null;
}

/** The statistics of a column or of a member of it. */
export type CountedValues = Omit<ColumnStats, 'column' | 'members'>;

/** How the values of a type are counted. */
export function measureKind(type: ArrowType): MeasureKind {
  if (type === 'int64') return 'integer';
  if (type === 'float64') return 'number';
  if (type === 'bool') return 'bool';
  if (type === 'utf8') return 'text';
  if (typeof type === 'string' || !('logical' in type)) return 'none';
  if (type.logical === 'decimal') return 'number';
  return type.logical === 'timestamp' ? 'moment' : type.logical;
}

/** How the values of a member of a column are counted; texts, and verdicts in text, as texts. */
export function memberKind(type: ArrowType, path: readonly string[]): MeasureKind {
  const kind = measureKind(memberType(type, path) ?? 'utf8');
  return kind === 'integer' || kind === 'number' ? kind : 'text';
}

/** The type of a member of a struct; undefined where there is none. */
export function memberType(type: ArrowType, path: readonly string[]): ArrowType | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return type;
  if (typeof type === 'string' || !('struct' in type)) return undefined;
  const member = type.struct.find((one) => one.name === name);
  return member && memberType(member.type, rest);
}

/** Whether the bars are values, which repeat, and not ranges. */
export function hasValueBars(kind: MeasureKind, { distinct, high }: Pick<Extent, 'distinct' | 'high'>): boolean {
  if (kind === 'integer') return distinct <= MAX_NUMBERS;
  return kind === 'bool' || (kind === 'text' && distinct <= MAX_VALUES && (high ?? 0) <= MAX_VALUE_LENGTH);
}

/** The statistics of values by their counts. */
export function valueStats(measure: MeasuredValue, extent: Extent, counts: ReadonlyMap<string, number>): CountedValues {
  const { rows, nulls, low, high, mean } = extent;
  const bars = valueBars(measure, counts);
  const shown = bars.reduce((sum, { count }) => sum + count, 0);
  const range =
    measure.kind === 'text'
      ? { ...NO_RANGE, meanLength: mean }
      : { low: textOf(low), high: textOf(high), mean, meanLength: null };
  return { rows, nulls, kind: 'values', bars, others: rows - nulls - shown, distinct: counts.size, ...range };
}

/** The range of values that have none. */
export const NO_RANGE = { low: null, high: null, mean: null, meanLength: null } as const;

function textOf(value: number | null): string | null {
  return value === null ? null : String(value);
}

/** The most frequent values; whole numbers in their order. */
function valueBars({ column, path, kind }: MeasuredValue, counts: ReadonlyMap<string, number>): readonly Bar[] {
  const frequent = [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const shown = frequent.slice(0, kind === 'integer' ? MAX_NUMBERS : SHOWN_VALUES);
  const ordered = kind === 'integer' ? shown.toSorted((a, b) => Number(a[0]) - Number(b[0])) : shown;
  return ordered.map(([label, count]) => {
    const value = kind === 'bool' ? label === 'true' : kind === 'integer' ? Number(label) : label;
    return { label, count, condition: { ...placeOf(column.name, path), op: 'equals', value } };
  });
}

function placeOf(column: string, path: readonly string[]): { column: string; path?: readonly string[] } {
  return path.length > 0 ? { column, path } : { column };
}

/** Equal ranges of sizes. */
export interface Bins {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly count: number;
}

/** The ranges for an extent; those of whole numbers begin and end at such. */
export function binsOf(kind: MeasureKind, { low, high }: Pick<Extent, 'low' | 'high'>): Bins {
  const [from, to] = [low ?? 0, high ?? 0];
  const isWhole = kind === 'integer' || kind === 'text' || kind === 'date';
  const unit = kind === 'date' ? SECONDS_PER_DAY : 1;
  const raw = (to - from) / BINS;
  const width = isWhole ? Math.max(unit, Math.ceil((to - from + unit) / BINS / unit) * unit) : raw || 1;
  const count = Math.min(BINS, Math.max(1, Math.ceil((to - from + (isWhole ? unit : 0)) / width)));
  return { from, to, width, count };
}

/** The statistics of sizes by the number of their range. */
export function binStats(measure: MeasuredValue, extent: Extent, counts: ReadonlyMap<string, number>): CountedValues {
  const { kind, column, path } = measure;
  const { rows, nulls, low, high, mean, distinct } = extent;
  const { from, to, width, count: bins } = binsOf(kind, extent);
  const bars = Array.from({ length: low === null ? 0 : bins }, (_, bin): Bar => {
    const isLast = bin === bins - 1;
    const [begin, end] = [from + bin * width, isLast ? to : from + (bin + 1) * width];
    const condition: Condition = {
      ...placeOf(column.name, path),
      op: kind === 'text' ? 'length' : 'between',
      low: edgeOf(kind, begin),
      // Text has milliseconds; the last value may have more digits.
      high: edgeOf(kind, isLast && isTime(kind) ? Math.ceil(end * 1000) / 1000 : end),
      ...(isLast ? { isLast: true } : {}),
    };
    return { label: labelOf(kind, begin, end), count: counts.get(String(bin)) ?? 0, condition };
  });
  const counted = bars.reduce((sum, { count }) => sum + count, 0);
  return {
    rows,
    nulls,
    kind: 'bins',
    bars,
    others: rows - nulls - counted,
    distinct,
    low: low === null ? null : String(edgeOf(kind, low)),
    high: high === null ? null : String(edgeOf(kind, high)),
    mean: isTime(kind) || kind === 'text' ? null : mean,
    meanLength: kind === 'text' ? mean : null,
  };
}

const SECONDS_PER_DAY = 86_400;

/** A number as conditions compare it: dates and times as text. */
function edgeOf(kind: MeasureKind, edge: number): string | number {
  if (!isTime(kind)) return edge;
  const text = new Date(edge * 1000).toISOString();
  if (kind === 'time') return text.slice(11, 23);
  return kind === 'date' ? text.slice(0, 10) : text.slice(0, 23).replace('T', ' ');
}

/** Whether values are counted in seconds: since 1970, or since midnight. */
export function isTime(kind: MeasureKind): boolean {
  return kind === 'moment' || kind === 'date' || kind === 'time';
}

function labelOf(kind: MeasureKind, low: number, high: number): string {
  const label = (edge: number) => (isTime(kind) ? String(edgeOf(kind, edge)) : String(Number(edge.toPrecision(4))));
  const unit = kind === 'text' ? ' characters' : '';
  return `${label(low)} to ${label(high)}${unit}`;
}
