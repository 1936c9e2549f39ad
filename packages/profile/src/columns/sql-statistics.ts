import type { ArrowField, ArrowType, LogicalType } from '@data-designer/core';
import { quotedName } from '@data-designer/seeds/duck-db';
import type { CalculatedValue, CategoryProfile, ColumnProfile } from '../dataset-profile.ts';
import { type FirstTexts, readFirstTexts } from '../table/first-texts.ts';
import type { ProfiledTable, ProfiledValue } from '../table/profiled-table.ts';
import { copyRows, readSample, RowBytes } from '../table/sample-rows.ts';
import type { SampledRow, Spread, TableStatistics } from '../table/table-statistics.ts';
import { profileCategories } from './category-profile.ts';
import { dateSql, profileDates } from './date-profile.ts';
import { profileNumbers } from './number-profile.ts';
import { isLogical } from './value-profile.ts';

/** Counts in DuckDB, for values of any type and datasets of any size. */
export class SqlStatistics implements TableStatistics {
  readonly records: number;
  readonly sql: ProfiledTable;
  /** For temporary files. */
  readonly #folder: string;
  readonly #rowBytes: RowBytes;

  constructor(table: ProfiledTable, folder: string) {
    this.records = table.records;
    this.sql = table;
    this.#folder = folder;
    this.#rowBytes = new RowBytes(table.files);
  }

  calculated<Value>(calculate: () => Promise<Value>): Promise<CalculatedValue<Value>> {
    return this.sql.calculated(calculate);
  }

  async counts(values: readonly ProfiledValue[]): Promise<readonly number[]> {
    const asked = values.map(({ sql }) => `count(${sql})`).join(', ');
    return (await this.sql.row(`SELECT ${asked} FROM t`)).map(Number);
  }

  firstTexts(values: readonly ProfiledValue[]): Promise<readonly FirstTexts[]> {
    return readFirstTexts(this.sql, values);
  }

  unique(value: ProfiledValue): Promise<number> {
    return countUnique(this.sql, value);
  }

  spread(value: ProfiledValue, known: Parameters<TableStatistics['spread']>[1]): Promise<Spread> {
    return profileSpread(this.sql, value, known);
  }

  categories(value: ProfiledValue, limit: number): Promise<CategoryProfile | undefined> {
    const text = `CAST(${value.sql} AS VARCHAR)`;
    return profileCategories(this.sql, { text, key: uniqueKeySql(value), limit });
  }

  correlations(pairs: readonly (readonly [ColumnProfile, ColumnProfile])[]): Promise<readonly unknown[]> {
    const asked = pairs.map(([a, b]) => `corr(${measure(a)}, ${measure(b)})`);
    return this.sql.row(`SELECT ${asked.join(', ')} FROM t`);
  }

  async nullPatterns(names: readonly string[], limit: number): Promise<readonly (readonly [bigint, number])[]> {
    const bits = names.map((name, bit) => `CASE WHEN ${quotedName(name)} IS NULL THEN ${2n ** BigInt(bit)} ELSE 0 END`);
    const rows = await this.sql.rows(
      `SELECT pattern, count(*) AS n FROM (SELECT CAST(${bits.join(' + ')} AS BIGINT) AS pattern FROM t)
       WHERE pattern > 0 GROUP BY pattern ORDER BY n DESC, pattern LIMIT ${limit}`,
    );
    return rows.map(([pattern, count]) => [BigInt(String(pattern)), Number(count)]);
  }

  rowBytes(fields: readonly ArrowField[]): Promise<number> {
    return this.#rowBytes.of(fields);
  }

  async rows(fields: readonly ArrowField[], positions?: readonly number[]): Promise<readonly SampledRow[]> {
    if (!positions) return readSample(this.sql.files, fields);
    const copy = await copyRows(this.sql, positions, { fields, folder: this.#folder });
    return (await readSample([copy], fields)).map(({ row }, at) => ({ position: positions[at] ?? at, row }));
  }
}

/** Integers count from the smallest of their column: large integers close together keep their digits. */
function measure({ name, dataType }: ColumnProfile): string {
  const column = quotedName(name);
  if (dataType === 'int') return `CAST(${column}::HUGEINT - (SELECT min(${column}) FROM t)::HUGEINT AS DOUBLE)`;
  const value = `CAST(${column} AS DOUBLE)`;
  return `CASE WHEN isfinite(${value}) THEN ${value} END`;
}

async function countUnique(table: ProfiledTable, value: ProfiledValue): Promise<number> {
  const groups = `SELECT ${uniqueKeySql(value)} AS k FROM t WHERE ${value.sql} IS NOT NULL GROUP BY 1`;
  return Number((await table.row(`SELECT count(*) FROM (${groups})`))[0]);
}

/** The distribution of numbers or dates, or of the lengths of other texts. */
async function profileSpread(
  table: ProfiledTable,
  { sql, type, json }: ProfiledValue,
  { first, dateFormat }: { readonly first: FirstTexts; readonly dateFormat?: unknown },
): Promise<Spread> {
  if (type === 'int64' || type === 'float64') {
    const numbers = await table.calculated(() =>
      profileNumbers(table, { expression: sql, areWhole: type !== 'float64' }),
    );
    return numbers === undefined ? {} : { numbers };
  }
  if (isLogical(type)) return spreadLogical(table, sql, type);
  if (type !== 'utf8' || json) return {};
  const texts = first.filter((text) => text !== null);
  const date = dateSql(sql, texts, dateFormat);
  const dates = date === undefined ? undefined : await table.calculated(() => profileDates(table, { text: sql, date }));
  if (dates !== undefined) return { dates };
  const lengths = await table.calculated(() => profileNumbers(table, { expression: `length(${sql})`, areWhole: true }));
  return lengths === undefined ? {} : { lengths };
}

/** The distribution of stored dates and decimals; times of day have none. */
async function spreadLogical(table: ProfiledTable, sql: string, type: LogicalType): Promise<Spread> {
  if (type.logical === 'time') return {};
  if (type.logical === 'decimal') {
    const expression = `CAST(${sql} AS DOUBLE)`;
    const numbers = await table.calculated(() => profileNumbers(table, { expression, areWhole: false }));
    return numbers === undefined ? {} : { numbers };
  }
  const isZoned = type.logical === 'timestamp' && type.zoned;
  const date = isZoned ? `(${sql} AT TIME ZONE 'UTC')` : `CAST(${sql} AS TIMESTAMP)`;
  const dates = await table.calculated(() => profileDates(table, { text: sql, date }));
  return dates === undefined ? {} : { dates };
}

/** SQL of a key that equal values share, or the digest of its text; the order of list items does not count. */
function uniqueKeySql({ sql, type, json }: ProfiledValue): string {
  if (type === 'utf8') return `md5_number(${json ? jsonTextSql(sql) : sql})`;
  return typeof type === 'string' || isLogical(type) ? sql : `md5_number(${textSql(sql, type, 0)})`;
}

/** The text of a value with sorted list items. */
function textSql(expression: string, type: ArrowType, depth: number): string {
  if (typeof type === 'string' || 'logical' in type) return `CAST(${expression} AS VARCHAR)`;
  if ('list' in type) {
    const item = `x${depth}`;
    const items = `list_transform(${expression}, lambda ${item}: ${textSql(item, type.list, depth + 1)})`;
    return `CAST(list_sort(${items}) AS VARCHAR)`;
  }
  const members = type.struct.map((member, index) =>
    textSql(`struct_extract_at(${expression}, ${index + 1})`, member.type, depth),
  );
  return `CAST([${members.join(', ')}] AS VARCHAR)`;
}

function jsonTextSql(column: string): string {
  const items = `CAST(list_sort(CAST(json_extract(${column}, '$[*]') AS VARCHAR[])) AS VARCHAR)`;
  return `CASE WHEN json_valid(${column}) AND json_type(${column}) = 'ARRAY' THEN ${items} ELSE ${column} END`;
}
