import type { RequestOf } from '../../api/requests.ts';
import type { ArrowType, Plan } from '@data-designer/core';
import type { ColumnInfo } from '../../api/columns.ts';
import type { ColumnStats, StatsAnswer } from '../../api/table.ts';
import {
  binsOf,
  binStats,
  type CountedValues,
  type Extent,
  hasValueBars,
  isTime,
  type MeasuredValue,
  type MeasureKind,
  measureKind,
  memberKind,
  NO_RANGE,
  valueStats,
} from './column-bars.ts';
import { columnOf, type ColumnsByName, valueSql } from './condition-sql.ts';
import type { QueryEngine } from './query-engine.ts';

/** A value of every row that is counted: a column, or a member of one. */
interface Measure extends MeasuredValue {
  readonly column: ColumnInfo;
  /** The value, and its size as a number. */
  readonly value: string;
  readonly size: string;
}

/** Statistics of columns within a filter, in two passes over their values. */
export async function columnStats(
  engine: QueryEngine,
  { columns: names, filter = {} }: RequestOf<'stats'>,
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
    return { column: name, ...shown, members: withoutTwins(mine.filter(({ path }) => path.length > 0)) };
  });
  return { version, stats };
}

const NO_EXTENT: Extent = { rows: 0, nulls: 0, distinct: 0, low: null, high: null, mean: null };
const NO_STATS: CountedValues = {
  rows: 0,
  nulls: 0,
  kind: 'none',
  bars: [],
  others: 0,
  distinct: null,
  ...NO_RANGE,
};

/** The counted parts of a column: the column itself, and its members that are scores or verdicts. */
function measuresOf(column: ColumnInfo, { fields }: Plan): readonly Measure[] {
  const type = fields.find(({ name }) => name === column.name)?.type ?? 'utf8';
  const kind = column.isNested ? 'none' : measureKind(type);
  const value = valueSql(column);
  const members = column.isNested ? memberPaths(column, type) : [];
  return [
    { column, path: [], kind, value, size: sizeSql(value, kind) },
    ...members.flatMap((path) => memberMeasures(column, path, memberKind(type, path))),
  ];
}

/** The measures of a member. One of text is counted as whole numbers too: options of scores are often numbers in text. */
function memberMeasures(column: ColumnInfo, path: readonly string[], declared: MeasureKind): readonly Measure[] {
  const text = valueSql(column, path);
  const kinds: readonly MeasureKind[] = declared === 'text' ? ['integer', 'text'] : [declared];
  return kinds.map((kind) => {
    const value = kind === 'text' ? text : `TRY_CAST(${text} AS ${kind === 'integer' ? 'BIGINT' : 'DOUBLE'})`;
    return { column, path, kind, value, size: sizeSql(value, kind) };
  });
}

/** Of the measures of one member, the numbers if all of its values are such, else the texts. */
function withoutTwins<Counted extends CountedValues & { readonly path: readonly string[] }>(
  counted: readonly Counted[],
): readonly Counted[] {
  const byPath = Map.groupBy(counted, ({ path }) => JSON.stringify(path));
  return Array.from(byPath.values(), ([first, second]) => {
    const isNumber = second === undefined || (first?.nulls === second.nulls && first.rows > first.nulls);
    return isNumber ? first : second;
  }).filter((one) => one !== undefined);
}

/** The paths to the scores of a judge, or to the verdicts of a validation. */
function memberPaths({ shown }: ColumnInfo, type: ArrowType): readonly (readonly string[])[] {
  if (shown !== 'scores' && shown !== 'verdict') return [];
  const wanted = shown === 'scores' ? 'score' : 'is_valid';
  if (typeof type === 'string' || !('struct' in type)) return shown === 'verdict' ? [[wanted]] : [];
  if (type.struct.some(({ name }) => name === wanted)) return [[wanted]];
  return type.struct.map(({ name }) => [name, wanted]);
}

function sizeSql(value: string, kind: MeasureKind): string {
  if (kind === 'text') return `length(${value})`;
  if (isTime(kind)) return `epoch(${value})`;
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
  readonly statsOf: (counts: ReadonlyMap<string, number>) => CountedValues;
}

function shapeOf(measure: Measure, extent: Extent): Shape {
  const { kind, value, size } = measure;
  const { rows, nulls } = extent;
  if (kind === 'none') return { sql: 'NULL', statsOf: () => ({ ...NO_STATS, rows, nulls }) };
  if (hasValueBars(kind, extent)) {
    const sql = `histogram(CAST(${value} AS VARCHAR))`;
    return { sql, statsOf: (counts) => valueStats(measure, extent, counts) };
  }
  const { from, width, count } = binsOf(kind, extent);
  const numbered = `least(${count - 1}, TRY_CAST(floor((${size} - ${from}) / ${width}) AS INTEGER))`;
  // The least of a number and null is the number.
  const counted = kind === 'number' ? `isfinite(${size})` : `${size} IS NOT NULL`;
  const sql = extent.low === null ? 'NULL' : `histogram(${numbered}) FILTER (${counted})`;
  return { sql, statsOf: (counts) => binStats(measure, extent, counts) };
}

/** The entries of a map as DuckDB returns it. */
function countsIn(value: unknown): ReadonlyMap<string, number> {
  if (!Array.isArray(value)) return new Map();
  const entries: readonly { readonly key: unknown; readonly value: unknown }[] = value;
  return new Map(entries.map(({ key, value: count }) => [String(key), Number(count)]));
}
