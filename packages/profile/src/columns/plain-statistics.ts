import { stat } from 'node:fs/promises';
import { type ArrowField, type CellValue, type Plan, type PlannedColumn, type Row } from '@data-designer/core';
import { readRows } from '@data-designer/dataset/parquet';
import { type Calculated, type CategoryProfile, type ColumnProfile, NOT_CALCULATED } from '../dataset-profile.ts';
import { scoresOf } from '../judges/judge-profile.ts';
import { FIRST_RECORDS, type FirstTexts, shown } from '../table/first-texts.ts';
import type { ProfiledValue } from '../table/profiled-table.ts';
import { readSample, type SampledRow } from '../table/sample-rows.ts';
import type { Spread, TableStatistics } from '../table/table-statistics.ts';
import { categoriesOf } from './category-profile.ts';
import { correlationOf } from './correlations.ts';
import { mayBeDates } from './date-profile.ts';
import { wholeNumbers } from './number-profile.ts';
import { isTrace } from './trace-profile.ts';

/** Larger datasets are left to DuckDB, which counts them with few rows in memory. */
const MAX_BYTES = 4_000_000;
const MAX_ROWS = 20_000;
const MAX_CHARACTERS = 16_000_000;

/** The values of stored types that need no SQL. */
const IS_PLAIN = {
  utf8: (cell: CellValue) => typeof cell === 'string',
  int64: (cell: CellValue) => Number.isSafeInteger(cell),
  bool: (cell: CellValue) => typeof cell === 'boolean',
} as const;

/**
 * Counts a small dataset of texts, whole numbers and truth values in memory, as DuckDB would: loading that takes longer than
 * the counting of a small run, and more memory.
 */
export class PlainStatistics implements TableStatistics {
  readonly sql = undefined;
  readonly #files: readonly string[];
  readonly #rows: readonly Row[];
  /** The columns whose values are in memory. */
  readonly #held: ReadonlySet<string>;

  private constructor(files: readonly string[], fields: readonly ArrowField[], rows: readonly Row[]) {
    this.#files = files;
    this.#rows = rows;
    this.#held = new Set(fields.map(({ name }) => name));
  }

  /** Reads the declared columns of a dataset; undefined for one that DuckDB is to count. */
  static async open(files: readonly string[], plan: Plan): Promise<PlainStatistics | undefined> {
    const fields = plainFields(plan);
    if (!fields) return undefined;
    try {
      const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
      if (sizes.reduce((sum, size) => sum + size, 0) > MAX_BYTES) return undefined;
      const rows = await plainRows(files, fields);
      return rows && new PlainStatistics(files, fields, rows);
    } catch {
      // DuckDB reads some files that other programs wrote, and names the one that is damaged.
      return undefined;
    }
  }

  get records(): number {
    return this.#rows.length;
  }

  async calculated<Value>(calculate: () => Promise<Value>): Promise<Calculated<Value>> {
    try {
      return await calculate();
    } catch {
      return NOT_CALCULATED;
    }
  }

  async counts(values: readonly ProfiledValue[]): Promise<readonly number[]> {
    return values.map((value) => this.#cells(value).length);
  }

  async firstTexts(values: readonly ProfiledValue[]): Promise<readonly FirstTexts[]> {
    const first = this.#rows.slice(0, FIRST_RECORDS);
    return values.map(({ column }) => first.map((row) => shown(textOf(row[column]))));
  }

  async unique(value: ProfiledValue): Promise<number> {
    return new Set(this.#cells(value)).size;
  }

  async spread(value: ProfiledValue): Promise<Spread> {
    const cells = this.#cells(value);
    if (value.type === 'int64') {
      const numbers = wholeNumbers(cells.map(Number));
      return numbers ? { numbers } : {};
    }
    const lengths = value.type === 'utf8' ? wholeNumbers(cells.map((cell) => lengthOf(String(cell)))) : undefined;
    return lengths ? { lengths } : {};
  }

  async categories(value: ProfiledValue, limit: number): Promise<CategoryProfile | undefined> {
    return categoriesOf(this.#cells(value).map(String), limit);
  }

  async correlations(pairs: readonly (readonly [ColumnProfile, ColumnProfile])[]): Promise<readonly number[]> {
    return pairs.map(([a, b]) => {
      const both = this.#rows.map((row) => [row[a.name], row[b.name]] as const);
      return correlationOf(both.filter(areNumbers));
    });
  }

  async nullPatterns(names: readonly string[], limit: number): Promise<readonly (readonly [bigint, number])[]> {
    const counts = new Map<bigint, number>();
    for (const row of this.#rows) {
      const pattern = names.reduce((bits, name, at) => (isNull(row[name]) ? bits | (1n << BigInt(at)) : bits), 0n);
      if (pattern > 0n) counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
    }
    return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, limit);
  }

  async rows(fields: readonly ArrowField[], positions?: readonly number[]): Promise<readonly SampledRow[]> {
    const rows = fields.every(({ name }) => this.#held.has(name))
      ? this.#rows.map((row, position) => ({ position, row }))
      : await readSample(this.#files, fields);
    return positions ? positions.flatMap((position) => rows[position] ?? []) : rows;
  }

  /** The values of a column without nulls. */
  #cells({ column }: ProfiledValue): readonly CellValue[] {
    return this.#rows.flatMap((row) => (isNull(row[column]) ? [] : [row[column] ?? null]));
  }
}

/** The declared columns of a plan whose statistics need no SQL; undefined if another column does. */
function plainFields({ columns, fields }: Plan): readonly ArrowField[] | undefined {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const declared = fields.filter(({ name }) => byName.has(name));
  const needsSql = (field: ArrowField): boolean => {
    const column = byName.get(field.name);
    return !(typeof field.type === 'string' && field.type in IS_PLAIN) || field.json === true || hasParts(column);
  };
  return fields.some(isTrace) || declared.some(needsSql) ? undefined : declared;
}

/** Whether statistics look into the values of a column: verdicts, scores, or dates in a declared format. */
function hasParts(column: PlannedColumn | undefined): boolean {
  if (!column) return false;
  const { config } = column;
  const hasFormat = 'convertTo' in config && String(config.convertTo).includes('%');
  return 'validatorType' in config || scoresOf(column) !== undefined || hasFormat;
}

/** The rows, unless they are too many or large, or a text may be a date. */
async function plainRows(files: readonly string[], fields: readonly ArrowField[]): Promise<readonly Row[] | undefined> {
  const rows: Row[] = [];
  let characters = 0;
  for await (const row of readRows(files, { fields })) {
    for (const { name, type } of fields) {
      const cell = row[name] ?? null;
      if (cell !== null && !IS_PLAIN[type as keyof typeof IS_PLAIN](cell)) return undefined;
      if (typeof cell === 'string') characters += cell.length;
    }
    rows.push(row);
    if (rows.length > MAX_ROWS || characters > MAX_CHARACTERS) return undefined;
  }
  const texts = fields.filter(({ type }) => type === 'utf8');
  return rows.length === 0 || texts.some(({ name }) => mayHoldDates(rows, name)) ? undefined : rows;
}

function mayHoldDates(rows: readonly Row[], column: string): boolean {
  const first = rows.slice(0, FIRST_RECORDS).flatMap((row) => textOf(row[column]) ?? []);
  return mayBeDates(first) && rows.some((row) => !isNull(row[column]));
}

function isNull(cell: CellValue | undefined): boolean {
  return cell === null || cell === undefined;
}

function textOf(cell: CellValue | undefined): string | null {
  return cell === null || cell === undefined ? null : String(cell);
}

function areNumbers(pair: readonly (CellValue | undefined)[]): pair is [number, number] {
  return pair.every((cell) => typeof cell === 'number');
}

/** In characters: half a surrogate pair does not count. */
function lengthOf(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) !== 0xdc00) length++;
  return length;
}
