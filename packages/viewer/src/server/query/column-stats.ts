import type { ArrowType, Plan } from '@data-designer/core';
import type { ColumnInfo } from '../../api/columns.ts';
import type { Condition } from '../../api/filter.ts';
import type { Bar, ColumnStats, StatsAnswer, StatsRequest } from '../../api/table.ts';
import { columnOf, type ColumnsByName, valueSql } from './condition-sql.ts';
import type { QueryEngine } from './query-engine.ts';

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

/** A value of every row that is counted: a column, or a member of one. */
interface Measure {
  readonly column: ColumnInfo;
  readonly path: readonly string[];
  readonly kind: 'number' | 'integer' | 'moment' | 'date' | 'text' | 'bool' | 'none';
  /** The value, and its size as a number. */
  readonly value: string;
  readonly size: string;
}

/** The first pass over a measure. */
interface Extent {
  readonly rows: number;
  readonly nulls: number;
  readonly distinct: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly mean: number | null;
}

type Counted = Omit<ColumnStats, 'column' | 'members'>;

/** Statistics of columns within a filter, in two passes over their values. */
export async function columnStats(
  engine: QueryEngine,
  { columns: names, filter = {} }: StatsRequest,
  context: {
    readonly plan: Plan;
    readonly columns: ColumnsByName;
    readonly version: string;
    readonly signal: AbortSignal;
  },
): Promise<StatsAnswer> {
  const { columns, plan, version, signal } = context;
  const measures = names.flatMap((name) => measuresOf(columnOf(name, columns), plan));
  const select = (parts: readonly string[]) => engine.aggregate(parts, filter, signal);
  const first = await select(['count(*)', ...measures.flatMap(extentSql)]);
  const rows = Number(first[0]);
  const extents = measures.map((_, index) => extentIn(rows, first.slice(1 + index * EXTENT, 1 + (index + 1) * EXTENT)));
  const shapes = measures.map((measure, index) => shapeOf(measure, extents[index] ?? NO_EXTENT));
  const second = measures.length > 0 ? await select(shapes.map(({ sql }) => sql)) : [];
  const counted = shapes.map(({ statsOf }, index) => statsOf(countsIn(second[index])));
  const stats = names.map((name): ColumnStats => {
    const mine = measures.flatMap((measure, index) => {
      const found = counted[index];
      return measure.column.name === name && found ? [{ ...found, path: measure.path }] : [];
    });
    const own = mine.find(({ path }) => path.length === 0);
    const { path: _, ...shown } = own ?? { ...NO_STATS, path: [] };
    return { column: name, ...shown, members: mine.filter(({ path }) => path.length > 0) };
  });
  return { version, stats };
}

const NO_EXTENT: Extent = { rows: 0, nulls: 0, distinct: 0, low: null, high: null, mean: null };
const NO_STATS: Counted = {
  rows: 0,
  nulls: 0,
  kind: 'none',
  bars: [],
  others: 0,
  distinct: null,
  low: null,
  high: null,
  mean: null,
};

/** The counted parts of a column: the column itself, and its members that are scores or verdicts. */
function measuresOf(column: ColumnInfo, { fields }: Plan): readonly Measure[] {
  const type = fields.find(({ name }) => name === column.name)?.type ?? 'utf8';
  const kind = column.isNested ? 'none' : kindOf(type);
  const value = valueSql(column);
  const members = column.isNested ? memberPaths(column, type) : [];
  return [
    { column, path: [], kind, value, size: sizeSql(value, kind) },
    ...members.map((path): Measure => {
      const member = valueSql(column, path);
      return { column, path, kind: 'text', value: member, size: sizeSql(member, 'text') };
    }),
  ];
}

function kindOf(type: ArrowType): Measure['kind'] {
  if (type === 'int64') return 'integer';
  if (type === 'float64') return 'number';
  if (type === 'bool') return 'bool';
  if (type === 'utf8') return 'text';
  if (typeof type === 'string' || !('logical' in type)) return 'none';
  if (type.logical === 'decimal') return 'number';
  if (type.logical === 'date') return 'date';
  return type.logical === 'timestamp' ? 'moment' : 'none';
}

/** The paths to the scores of a judge, or to the verdicts of a validation. */
function memberPaths({ shown }: ColumnInfo, type: ArrowType): readonly (readonly string[])[] {
  if (shown !== 'scores' && shown !== 'verdict') return [];
  const wanted = shown === 'scores' ? 'score' : 'is_valid';
  if (typeof type === 'string' || !('struct' in type)) return shown === 'verdict' ? [[wanted]] : [];
  if (type.struct.some(({ name }) => name === wanted)) return [[wanted]];
  return type.struct.map(({ name }) => [name, wanted]);
}

function sizeSql(value: string, kind: Measure['kind']): string {
  if (kind === 'text') return `length(${value})`;
  if (kind === 'moment' || kind === 'date') return `epoch(${value})`;
  return `CAST(${value} AS DOUBLE)`;
}

const EXTENT = 5;

function extentSql({ value, size, kind }: Measure): readonly string[] {
  if (kind === 'none' || kind === 'bool') return [`count(${value})`, '2', 'NULL', 'NULL', 'NULL'];
  const finite = kind === 'number' ? `FILTER (isfinite(${size}))` : '';
  const aggregates = ['min', 'max', 'avg'].map((name) => `CAST(${name}(${size}) ${finite} AS DOUBLE)`);
  return [`count(${value})`, `approx_count_distinct(${value})`, ...aggregates];
}

function extentIn(rows: number, [found, distinct, low, high, mean]: readonly unknown[]): Extent {
  return {
    rows,
    nulls: rows - Number(found),
    distinct: Number(distinct),
    low: numberOf(low),
    high: numberOf(high),
    mean: numberOf(mean),
  };
}

function numberOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** What the second pass counts of a measure, and the statistics for its counts. */
interface Shape {
  readonly sql: string;
  readonly statsOf: (counts: ReadonlyMap<string, number>) => Counted;
}

function shapeOf(measure: Measure, extent: Extent): Shape {
  const { kind, value } = measure;
  const base = { rows: extent.rows, nulls: extent.nulls };
  if (kind === 'none') return { sql: 'NULL', statsOf: () => ({ ...NO_STATS, ...base }) };
  const isRepeated =
    kind === 'bool' ||
    (kind === 'integer' && extent.distinct <= MAX_NUMBERS) ||
    (kind === 'text' && extent.distinct <= MAX_VALUES && (extent.high ?? 0) <= MAX_VALUE_LENGTH);
  if (!isRepeated) return binned(measure, extent);
  const text = kind === 'text' ? {} : { low: textOf(extent.low), high: textOf(extent.high), mean: extent.mean };
  return {
    sql: `histogram(CAST(${value} AS VARCHAR))`,
    statsOf: (counts) => {
      const bars = valueBars(measure, counts);
      const shown = bars.reduce((sum, { count }) => sum + count, 0);
      const others = extent.rows - extent.nulls - shown;
      return { ...NO_STATS, ...base, ...text, kind: 'values', bars, others, distinct: counts.size };
    },
  };
}

function textOf(value: number | null): string | null {
  return value === null ? null : String(value);
}

/** The most frequent values; whole numbers in their order. */
function valueBars({ column, path, kind }: Measure, counts: ReadonlyMap<string, number>): readonly Bar[] {
  const frequent = [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const shown = frequent.slice(0, kind === 'integer' ? MAX_NUMBERS : SHOWN_VALUES);
  const ordered = kind === 'integer' ? shown.toSorted((a, b) => Number(a[0]) - Number(b[0])) : shown;
  return ordered.map(([label, count]) => {
    const value = kind === 'bool' ? label === 'true' : kind === 'integer' && path.length === 0 ? Number(label) : label;
    return { label, count, condition: { ...placeOf(column, path), op: 'equals', value } };
  });
}

function placeOf({ name }: ColumnInfo, path: readonly string[]): { column: string; path?: readonly string[] } {
  return path.length > 0 ? { column: name, path } : { column: name };
}

function binned(measure: Measure, { low, high, ...extent }: Extent): Shape {
  const { size, kind, column, path } = measure;
  const [from, to] = [low ?? 0, high ?? 0];
  const isWhole = kind === 'integer' || kind === 'text' || kind === 'date';
  const unit = kind === 'date' ? SECONDS_PER_DAY : 1;
  const raw = (to - from) / BINS;
  const width = isWhole ? Math.max(unit, Math.ceil((to - from + unit) / BINS / unit) * unit) : raw || 1;
  const bins = Math.min(BINS, Math.max(1, Math.ceil((to - from + (isWhole ? unit : 0)) / width)));
  const numbered = `least(${bins - 1}, TRY_CAST(floor((${size} - ${from}) / ${width}) AS INTEGER))`;
  const finite = kind === 'number' ? `FILTER (isfinite(${size}))` : '';
  const edges = (bin: number) => [from + bin * width, bin === bins - 1 ? to : from + (bin + 1) * width] as const;
  return {
    sql: low === null ? 'NULL' : `histogram(${numbered}) ${finite}`,
    statsOf: (counts) => {
      const bars = Array.from({ length: low === null ? 0 : bins }, (_, bin): Bar => {
        const [begin, end] = edges(bin);
        const condition: Condition = {
          ...placeOf(column, path),
          op: kind === 'text' ? 'length' : 'between',
          low: edgeOf(kind, begin),
          high: edgeOf(kind, end),
          ...(bin === bins - 1 ? { isLast: true } : {}),
        };
        return { label: labelOf(kind, begin, end), count: counts.get(String(bin)) ?? 0, condition };
      });
      const counted = bars.reduce((sum, { count }) => sum + count, 0);
      return {
        rows: extent.rows,
        nulls: extent.nulls,
        kind: 'bins',
        bars,
        others: extent.rows - extent.nulls - counted,
        distinct: extent.distinct,
        low: low === null ? null : String(edgeOf(kind, low)),
        high: high === null ? null : String(edgeOf(kind, high)),
        mean: kind === 'date' || kind === 'moment' ? null : extent.mean,
      };
    },
  };
}

const SECONDS_PER_DAY = 86_400;

/** A number as conditions compare it: dates and times as text. */
function edgeOf(kind: Measure['kind'], edge: number): string | number {
  if (kind !== 'moment' && kind !== 'date') return edge;
  const text = new Date(edge * 1000).toISOString();
  return kind === 'date' ? text.slice(0, 10) : text.slice(0, 23).replace('T', ' ');
}

function labelOf(kind: Measure['kind'], low: number, high: number): string {
  const label = (edge: number) =>
    kind === 'moment' || kind === 'date' ? String(edgeOf(kind, edge)) : String(Number(edge.toPrecision(4)));
  const unit = kind === 'text' ? ' characters' : '';
  return `${label(low)} to ${label(high)}${unit}`;
}

/** The entries of a map as DuckDB returns it. */
function countsIn(value: unknown): ReadonlyMap<string, number> {
  if (!Array.isArray(value)) return new Map();
  const entries: readonly { readonly key: unknown; readonly value: unknown }[] = value;
  return new Map(entries.map(({ key, value: count }) => [String(key), Number(count)]));
}
