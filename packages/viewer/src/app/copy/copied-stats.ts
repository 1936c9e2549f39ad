import { countCharacters } from '@data-designer/core';
import type { ColumnInfo } from '../../api/columns.ts';
import type { ColumnStats } from '../../api/table.ts';
import {
  binsOf,
  binStats,
  type CountedValues,
  type Extent,
  hasValueBars,
  isTime,
  NO_RANGE,
  type MeasuredValue,
  type MeasureKind,
  measureKind,
  memberKind,
  valueStats,
} from '../../server/query/column-bars.ts';
import { memberOf } from '../../server/cut-cell.ts';
import { memberText, textOf, type TextOf } from '../../cell-texts.ts';
import type { CopiedRows } from './copied-rows.ts';

/** Different values beyond this number are not counted. */
const MAX_DISTINCT = 1000;
/** Larger columns have no statistics within a filter: each would have to be downloaded. */
const MAX_COLUMN_BYTES = 32_000_000;
/** The columns whose values are in memory together. */
const COLUMNS_AT_ONCE = 8;

interface StatsOptions {
  readonly rows: CopiedRows;
  /** Ascending. */
  readonly positions: Uint32Array;
  /** The statistics of all rows, which tell the members of a column that are counted. */
  readonly whole: readonly ColumnStats[];
  readonly signal: AbortSignal;
}

/** The statistics of columns within a filter: the most frequent values, or equal ranges of numbers or of text lengths. */
export async function filteredStats(
  columns: readonly ColumnInfo[],
  { rows, positions, whole, signal }: StatsOptions,
): Promise<readonly ColumnStats[]> {
  const measures = columns.flatMap((column) => {
    const isSmall = rows.bytesOf([column.name]) <= MAX_COLUMN_BYTES;
    if (column.kind === 'trace' || !isSmall) return [];
    const { name } = column;
    const field = rows.fields.find((one) => one.name === name) ?? { name, type: 'utf8', nullable: true };
    const { type } = field;
    const members = whole.find((one) => one.column === column.name)?.members ?? [];
    const own = new Measure({ column, path: [], kind: column.isNested ? 'none' : measureKind(type) }, textOf(field));
    return [
      own,
      ...members.map(({ path, mean }) => {
        const kind = memberKind(type, path);
        // Of all rows the texts were numbers.
        return new Measure(
          { column, path, kind: kind === 'text' && mean !== null ? 'integer' : kind },
          memberText(type, path),
        );
      }),
    ];
  });
  const names = [...new Set(measures.map(({ column }) => column.name))];
  for (let from = 0; from < names.length; from += COLUMNS_AT_ONCE) {
    const scanned = names.slice(from, from + COLUMNS_AT_ONCE);
    const own = measures.filter(({ column }) => scanned.includes(column.name));
    let next = 0;
    for await (const block of rows.scan(scanned, signal)) {
      for (; (positions[next] ?? Infinity) < block.first + block.rows.length; next++) {
        const row = block.rows[(positions[next] ?? 0) - block.first];
        for (const measure of own) measure.add(memberOf(row?.[measure.column.name], measure.path));
      }
    }
    for (const measure of own) measure.finish(positions.length);
  }
  return columns.map(({ name }) => {
    const own = measures.filter(({ column }) => column.name === name);
    const { stats = nothing(positions.length) } = own.find(({ path }) => path.length === 0) ?? {};
    const members = own.filter(({ path }) => path.length > 0).map((one) => ({ ...one.stats, path: one.path }));
    return { column: name, ...stats, members };
  });
}

function nothing(rows: number): CountedValues {
  return { rows, nulls: 0, kind: 'none', bars: [], others: 0, distinct: null, ...NO_RANGE };
}

/** The values of a column within a filter, or of a member of it. */
class Measure implements MeasuredValue {
  readonly column: ColumnInfo;
  readonly path: readonly string[];
  readonly kind: MeasureKind;
  stats: CountedValues = nothing(0);
  #nulls = 0;
  /** Undefined once there are too many different values. */
  #counts: Map<string, number> | undefined = new Map();
  #sizes: number[] = [];

  readonly #textOf: TextOf;

  constructor({ column, path, kind }: MeasuredValue & { readonly column: ColumnInfo }, write: TextOf) {
    this.#textOf = write;
    this.column = column;
    this.path = path;
    this.kind = kind;
  }

  add(value: unknown): void {
    if (value === null || value === undefined) {
      this.#nulls++;
      return;
    }
    if (this.kind === 'none') return;
    const text = this.#counts || this.kind === 'text' ? this.#textOf(value) : '';
    const size = this.kind === 'text' ? countCharacters(text) : sizeOf(value, this.kind);
    if (this.kind !== 'bool' && Number.isFinite(size)) this.#sizes.push(size);
    if (!this.#counts) return;
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
    if (this.#counts.size > MAX_DISTINCT) this.#counts = undefined;
  }

  /** Makes `stats`, and forgets the values. */
  finish(rows: number): void {
    const extent = this.#extent(rows);
    const counts = this.#counts ?? new Map<string, number>();
    if (this.kind === 'none') this.stats = { ...nothing(rows), nulls: this.#nulls };
    else if (hasValueBars(this.kind, extent)) this.stats = valueStats(this, extent, counts);
    else this.stats = { ...binStats(this, extent, this.#binned(extent)), distinct: this.#counts?.size ?? null };
    this.#counts = undefined;
    this.#sizes = [];
  }

  #extent(rows: number): Extent {
    let [low, high, sum] = [Infinity, -Infinity, 0];
    for (const size of this.#sizes) {
      low = Math.min(low, size);
      high = Math.max(high, size);
      sum += size;
    }
    const found = this.#sizes.length;
    const range = found === 0 ? { low: null, high: null, mean: null } : { low, high, mean: sum / found };
    return { rows, nulls: this.#nulls, distinct: this.#counts?.size ?? MAX_DISTINCT + 1, ...range };
  }

  #binned(extent: Extent): ReadonlyMap<string, number> {
    const { from, width, count } = binsOf(this.kind, extent);
    const bins = Array.from({ length: count }, () => 0);
    for (const size of this.#sizes) {
      const bin = Math.min(count - 1, Math.floor((size - from) / width));
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    return new Map(bins.map((found, bin) => [String(bin), found]));
  }
}

/** A number as it is, a date or time in seconds since 1970, a time of day since midnight. */
function sizeOf(value: unknown, kind: Exclude<MeasureKind, 'text'>): number {
  if (!isTime(kind)) return Number(value);
  const text = String(value);
  if (kind === 'time') return text.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
  const isLocal = kind === 'moment' && !/(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const [fraction = ''] = /\.\d+/.exec(text) ?? [];
  const whole = text.replace(fraction, '');
  // A date of JavaScript has no microseconds.
  return Date.parse(isLocal ? `${whole}Z` : whole) / 1000 + Number(`0${fraction}`);
}
