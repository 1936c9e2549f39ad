import type { ArrowType, Distribution, LogicalType } from '@data-designer/core';
import { type Calculated, type CategoryProfile, type Figure, type ValueProfile } from '../dataset-profile.ts';
import type { FirstTexts } from '../table/first-texts.ts';
import type { ProfiledTable, ProfiledValue } from '../table/profiled-table.ts';
import { profileCategories } from './category-profile.ts';
import { dateSql, profileDates } from './date-profile.ts';
import { profileNumbers } from './number-profile.ts';

/** Values with more distinct ones have no categories, unless they are dates or drawn from a list. */
const MAX_KINDS = 1000;
/** Categories listed; a column that draws from a list has all of them, up to `MAX_KINDS`. */
const LISTED = 30;

const NAMES = { bool: 'bool', int64: 'int64', float64: 'double', utf8: 'string', null: 'null' } as const;
const SIMPLE = { bool: 'bool', int64: 'int', float64: 'float', utf8: 'string', null: 'null' } as const;

/** What is known about a value before it is profiled. */
interface KnownFigures {
  readonly nulls: Figure;
  readonly first: FirstTexts;
  /** How statistics describe it; undefined if it is not drawn. */
  readonly distribution?: Distribution | undefined;
  /** The declared format of dates. */
  readonly dateFormat?: unknown;
}

/** The statistics of a value; a figure that fails is marked and does not affect the others. */
export async function profileValue(
  table: ProfiledTable,
  value: ProfiledValue,
  known: KnownFigures,
): Promise<ValueProfile> {
  const { records } = table;
  const { nulls, first } = known;
  const unique = await table.calculated(() => countUnique(table, value));
  const isConstant = unique === 1 && nulls === 0 && records > 1;
  const spread = await profileSpread(table, value, known);
  return {
    storedType: storedTypeName(value.type),
    dataType: dataTypeName(value.type),
    records,
    nulls,
    unique,
    ...(isConstant && typeof first[0] === 'string' ? { constant: first[0] } : {}),
    ...spread,
    ...(await profileCategoriesOf(table, value, { ...known, unique, areDates: typeof spread.dates === 'object' })),
  };
}

async function countUnique(table: ProfiledTable, value: ProfiledValue): Promise<number> {
  const groups = `SELECT ${uniqueKeySql(value)} AS k FROM t WHERE ${value.sql} IS NOT NULL GROUP BY 1`;
  return Number((await table.row(`SELECT count(*) FROM (${groups})`))[0]);
}

/** The distribution of numbers or dates, or of the lengths of other texts. */
async function profileSpread(
  table: ProfiledTable,
  { sql, type, json }: ProfiledValue,
  { first, dateFormat }: KnownFigures,
): Promise<Pick<ValueProfile, 'numbers' | 'dates' | 'lengths'>> {
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

function isLogical(type: ArrowType): type is LogicalType {
  return typeof type === 'object' && 'logical' in type;
}

/** The distribution of stored dates and decimals; times of day have none. */
async function spreadLogical(
  table: ProfiledTable,
  sql: string,
  type: LogicalType,
): Promise<Pick<ValueProfile, 'numbers' | 'dates'>> {
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

async function profileCategoriesOf(
  table: ProfiledTable,
  value: ProfiledValue,
  { distribution, nulls, unique, areDates }: KnownFigures & { readonly unique: Figure; readonly areDates: boolean },
): Promise<{ readonly categories?: Calculated<CategoryProfile> }> {
  const { sql, type } = value;
  const { records } = table;
  const isDrawnFromList = distribution === 'categorical';
  if (typeof type === 'object' && !('logical' in type)) return {};
  const isDecimal = isLogical(type) && type.logical === 'decimal';
  if (type === 'float64' || isDecimal || typeof unique !== 'number') return {};
  const areKinds = unique <= MAX_KINDS && (unique <= LISTED || unique * 2 <= records);
  // Among times that nearly all differ, the most frequent one says nothing and takes long to find.
  const areRepeatedDates = areDates && unique * 2 <= records - Number(nulls);
  if (!isDrawnFromList && !areRepeatedDates && (!areKinds || type === 'int64')) return {};
  const text = `CAST(${sql} AS VARCHAR)`;
  const limit = isDrawnFromList ? MAX_KINDS : LISTED;
  const categories = await table.calculated(() => profileCategories(table, { text, key: uniqueKeySql(value), limit }));
  return categories === undefined ? {} : { categories };
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

/** A stored type as PyArrow writes it: `list<element: struct<a: int64>>`. */
function storedTypeName(type: ArrowType): string {
  if (typeof type === 'string') return NAMES[type];
  if ('logical' in type) return logicalTypeName(type);
  if ('list' in type) return `list<element: ${storedTypeName(type.list)}>`;
  return `struct<${type.struct.map((member) => `${member.name}: ${storedTypeName(member.type)}`).join(', ')}>`;
}

function logicalTypeName(type: LogicalType): string {
  switch (type.logical) {
    case 'date':
      return 'date32[day]';
    case 'time':
      return `time64[${type.unit}]`;
    case 'timestamp':
      return `timestamp[${type.unit}${type.zoned ? ', tz=UTC' : ''}]`;
    case 'decimal':
      return `decimal128(${type.precision}, ${type.scale})`;
  }
}

/** A stored type in plain words: int, float, string, bool, timestamp, time, date, decimal, `list[…]`, dict. */
function dataTypeName(type: ArrowType): string {
  if (typeof type === 'string') return SIMPLE[type];
  if ('logical' in type) return type.logical;
  return 'list' in type ? `list[${dataTypeName(type.list)}]` : 'dict';
}
