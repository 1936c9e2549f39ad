import {
  type ArrowField,
  countCharacters,
  isFailure,
  type Plan,
  type PlannedColumn,
  type Row,
  rowsIn,
} from '@data-designer/core';
import { readFooter, readRows } from '@data-designer/dataset/parquet';
import { type CalculatedValue, type CategoryProfile, type ColumnProfile, NOT_CALCULATED } from '../dataset-profile.ts';
import { scoresOf } from './judge-profile.ts';
import { cutText, FIRST_RECORDS, type FirstTexts } from '../table/first-texts.ts';
import type { ProfiledValue } from '../table/profiled-table.ts';
import { readSample, RowBytes } from '../table/sample-rows.ts';
import type { SampledRow, Spread, TableStatistics } from '../table/table-statistics.ts';
import { categoriesOf } from './category-profile.ts';
import { declaredColumns } from './column-profile.ts';
import { correlationOf } from './correlations.ts';
import { mayBeDates } from './date-profile.ts';
import { profileWholeNumbers } from './number-profile.ts';
import { isTrace } from './trace-profile.ts';

/** Larger datasets are left to DuckDB, which counts them with few rows in memory. */
const MAX = { rows: 20_000, cells: 400_000, bytes: 16_000_000, characters: 16_000_000 } as const;

type PlainCell = string | number | boolean;

/**
 * Counts a small dataset of texts, whole numbers and truth values in memory, as DuckDB would: loading that takes longer than
 * the counting of a small run, and more memory.
 */
export class PlainStatistics implements TableStatistics {
  readonly sql = undefined;
  readonly #files: readonly string[];
  readonly #rows: readonly Row[];
  readonly #rowBytes: RowBytes;
  /** The columns whose values are in memory. */
  readonly #held: ReadonlySet<string>;

  private constructor(files: readonly string[], fields: readonly ArrowField[], rows: readonly Row[]) {
    this.#files = files;
    this.#rows = rows;
    this.#rowBytes = new RowBytes(files);
    this.#held = new Set(fields.map(({ name }) => name));
  }

  /** Reads the declared columns of a dataset; undefined for one that DuckDB is to count. */
  static async open(files: readonly string[], plan: Plan): Promise<PlainStatistics | undefined> {
    const fields = plainFields(plan);
    if (!fields) return undefined;
    try {
      if (!(await areSmall(files, fields))) return undefined;
      const rows = await plainRows(files, fields);
      return rows && new PlainStatistics(files, fields, rows);
    } catch (thrown) {
      // DuckDB reads some files of other programs, and names the one that is damaged.
      if (isFailure(thrown, 'dataset/damaged')) return undefined;
      throw thrown;
    }
  }

  get records(): number {
    return this.#rows.length;
  }

  async calculated<Value>(calculate: () => Promise<Value>): Promise<CalculatedValue<Value>> {
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
    return values.map(({ column }) => first.map((row) => shownText(cellOf(row, column))));
  }

  async unique(value: ProfiledValue): Promise<number> {
    return new Set(this.#cells(value)).size;
  }

  async spread(value: ProfiledValue): Promise<Spread> {
    const cells = this.#cells(value);
    if (value.type === 'int64') {
      const numbers = profileWholeNumbers(cells.map(Number));
      return numbers ? { numbers } : {};
    }
    const texts = cells.filter((cell) => typeof cell === 'string');
    const lengths = profileWholeNumbers(texts.map(countCharacters));
    return lengths ? { lengths } : {};
  }

  async categories(value: ProfiledValue, limit: number): Promise<CategoryProfile | undefined> {
    return categoriesOf(this.#cells(value).map(String), limit);
  }

  async correlations(pairs: readonly (readonly [ColumnProfile, ColumnProfile])[]): Promise<readonly number[]> {
    return pairs.map(([a, b]) => {
      const both = this.#rows.map((row) => [cellOf(row, a.name), cellOf(row, b.name)] as const);
      return correlationOf(both.filter(areNumbers));
    });
  }

  async nullPatterns(names: readonly string[], limit: number): Promise<readonly (readonly [bigint, number])[]> {
    const counts = new Map<bigint, number>();
    for (const row of this.#rows) {
      const pattern = names.reduce(
        (bits, name, at) => (cellOf(row, name) === undefined ? bits | (1n << BigInt(at)) : bits),
        0n,
      );
      if (pattern > 0n) counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
    }
    return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, limit);
  }

  rowBytes(fields: readonly ArrowField[]): Promise<number> {
    return this.#rowBytes.of(fields);
  }

  async rows(fields: readonly ArrowField[], positions?: readonly number[]): Promise<readonly SampledRow[]> {
    const rows = fields.every(({ name }) => this.#held.has(name))
      ? this.#rows.map((row, position) => ({ position, row }))
      : await readSample(this.#files, fields);
    return positions ? positions.flatMap((position) => rows[position] ?? []) : rows;
  }

  /** The values of a column without nulls. */
  #cells({ column }: ProfiledValue): readonly PlainCell[] {
    return this.#rows.map((row) => cellOf(row, column)).filter((cell) => cell !== undefined);
  }
}

/** The declared columns of a plan, if they are texts, whole numbers and truth values; undefined if another one is not. */
function plainFields(plan: Plan): readonly ArrowField[] | undefined {
  if (rowsIn(plan.segments) > MAX.rows || plan.fields.some(isTrace)) return undefined;
  const declared = declaredColumns(plan);
  const arePlain = declared.every(({ column, field }) => isPlain(field) && !isParsed(column));
  return arePlain ? declared.map(({ field }) => field) : undefined;
}

function isPlain({ type, json = false }: ArrowField): boolean {
  return (type === 'utf8' || type === 'int64' || type === 'bool') && !json;
}

/** Whether statistics parse the values of a column: verdicts, scores, or dates in a declared format. */
function isParsed(column: PlannedColumn): boolean {
  const { config } = column;
  const hasFormat = 'convertTo' in config && String(config.convertTo).includes('%');
  return 'validatorType' in config || scoresOf(column) !== undefined || hasFormat;
}

/** Whether files hold few values of some columns, with the types that their fields declare. */
async function areSmall(files: readonly string[], fields: readonly ArrowField[]): Promise<boolean> {
  let [rows, bytes] = [0, 0];
  for (const file of files) {
    const footer = await readFooter(file);
    rows += footer.rows;
    for (const { name, type } of fields) {
      const column = footer.columns.get(name);
      if (!column || column.type !== type) return false;
      bytes += column.bytes;
    }
    if (rows > MAX.rows || rows * fields.length > MAX.cells || bytes > MAX.bytes) return false;
  }
  return rows > 0;
}

/** The rows, unless a text may be a date, an integer is too large for a float, or the texts are too long. */
async function plainRows(files: readonly string[], fields: readonly ArrowField[]): Promise<readonly Row[] | undefined> {
  const rows: Row[] = [];
  const texts = fields.filter(({ type }) => type === 'utf8');
  const mayHaveDates = () => texts.some(({ name }) => mayHoldDates(rows, name));
  let characters = 0;
  for await (const row of readRows(files, { fields })) {
    for (const { name } of fields) {
      const cell = row[name];
      if (typeof cell === 'bigint') return undefined;
      if (typeof cell === 'string') characters += cell.length;
    }
    rows.push(row);
    if (characters > MAX.characters || (rows.length === FIRST_RECORDS && mayHaveDates())) return undefined;
  }
  return mayHaveDates() ? undefined : rows;
}

function mayHoldDates(rows: readonly Row[], column: string): boolean {
  const first = rows.slice(0, FIRST_RECORDS).flatMap((row) => cellOf(row, column) ?? []);
  return mayBeDates(first.map(String)) && rows.some((row) => cellOf(row, column) !== undefined);
}

/** A value of a column; undefined for null. */
function cellOf(row: Row, column: string): PlainCell | undefined {
  const cell = row[column];
  return typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean' ? cell : undefined;
}

function shownText(cell: PlainCell | undefined): string | null {
  return cell === undefined ? null : cutText(String(cell));
}

function areNumbers(pair: readonly (PlainCell | undefined)[]): pair is [number, number] {
  return pair.every((cell) => typeof cell === 'number');
}
