import type { ArrowField, ArrowType, Distribution, PlannedColumn } from '@data-designer/core';
import { quotedName } from '@data-designer/seeds/duck-db';
import { profileCategories } from './category-profile.ts';
import {
  type Calculated,
  type CategoryProfile,
  type ColumnProfile,
  type Figure,
  NOT_CALCULATED,
} from '../dataset-profile.ts';
import { profileNumbers } from './number-profile.ts';
import { jsonSql, type ProfiledTable } from '../table/profiled-table.ts';

/** A column with more distinct values has no categories, unless it draws from a list. */
const MAX_KINDS = 1000;
/** Categories listed; a column that draws from a list has all of them, up to `MAX_KINDS`. */
const LISTED = 30;

const NAMES = { bool: 'bool', int64: 'int64', float64: 'double', utf8: 'string' } as const;
const SIMPLE = { bool: 'bool', int64: 'int', float64: 'float', utf8: 'string' } as const;

/** A column and the figures already counted. */
export interface CountedColumn {
  readonly field: ArrowField;
  readonly column: PlannedColumn;
  /** How statistics describe its values; undefined if they are not drawn. */
  readonly distribution: Distribution | undefined;
  readonly records: number;
  readonly nulls: Figure;
}

/** The profile of one column; a figure that fails is marked and does not affect the others. */
export async function profileColumn(table: ProfiledTable, counted: CountedColumn): Promise<ColumnProfile> {
  const { field, column, records, nulls, distribution } = counted;
  const config = column.config as { readonly columnType: string; readonly samplerType?: string };
  const unique = await table.calculated(() => countUnique(table, field));
  const isValidation = 'validatorType' in config;
  return {
    name: column.name,
    columnType: config.columnType,
    ...(config.samplerType === undefined ? {} : { samplerType: config.samplerType }),
    ...(distribution === undefined ? {} : { distribution }),
    storedType: storedTypeName(field.type),
    dataType: dataTypeName(field.type),
    records,
    nulls,
    unique,
    ...(await profileNumbersOf(table, field)),
    ...(await profileCategoriesOf(table, { ...counted, unique })),
    ...(isValidation ? { valid: await table.calculated(() => countValid(table, field)) } : {}),
  };
}

async function countUnique(table: ProfiledTable, field: ArrowField): Promise<number> {
  const groups = `SELECT ${uniqueKeySql(field)} AS k FROM t WHERE ${quotedName(field.name)} IS NOT NULL GROUP BY 1`;
  return Number((await table.row(`SELECT count(*) FROM (${groups})`))[0]);
}

/** The distribution of numbers, or of text lengths. */
async function profileNumbersOf(
  table: ProfiledTable,
  { name, type, json }: ArrowField,
): Promise<Pick<ColumnProfile, 'numbers' | 'lengths'>> {
  const column = quotedName(name);
  const isNumeric = type === 'int64' || type === 'float64';
  if (!isNumeric && (type !== 'utf8' || json === true)) return {};
  const expression = isNumeric ? column : `length(${column})`;
  const found = await table.calculated(() => profileNumbers(table, { expression, areWhole: type !== 'float64' }));
  if (found === undefined) return {};
  return isNumeric ? { numbers: found } : { lengths: found };
}

async function profileCategoriesOf(
  table: ProfiledTable,
  { field, distribution, records, unique }: CountedColumn & { readonly unique: Figure },
): Promise<{ readonly categories?: Calculated<CategoryProfile> }> {
  const isDrawnFromList = distribution === 'categorical';
  const { type } = field;
  if (typeof type !== 'string' || type === 'float64' || typeof unique !== 'number') return {};
  const areKinds = unique <= MAX_KINDS && (unique <= LISTED || unique * 2 <= records);
  if (!isDrawnFromList && (!areKinds || type === 'int64')) return {};
  const text = `CAST(${quotedName(field.name)} AS VARCHAR)`;
  const limit = isDrawnFromList ? MAX_KINDS : LISTED;
  const categories = await table.calculated(() => profileCategories(table, { text, key: uniqueKeySql(field), limit }));
  return categories === undefined ? {} : { categories };
}

/** SQL of a key that equal values share, or the digest of its text; the order of list items does not count. */
function uniqueKeySql({ name, type, json }: ArrowField): string {
  const column = quotedName(name);
  if (type === 'utf8') return `md5_number(${json === true ? jsonTextSql(column) : column})`;
  return typeof type === 'string' ? column : `md5_number(${textSql(column, type, 0)})`;
}

/** The text of a value with sorted list items. */
function textSql(expression: string, type: ArrowType, depth: number): string {
  if (typeof type === 'string') return `CAST(${expression} AS VARCHAR)`;
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

/** The number of cells valid in all targets (null is not); the mark if a cell says neither true nor false. */
async function countValid(table: ProfiledTable, { name }: ArrowField): Promise<Figure> {
  const own = `json_extract_string(cell, '/is_valid')`;
  const nested = `json_extract_string(cell, '$.*.is_valid')`;
  const said = `CASE WHEN json_exists(cell, '/is_valid') THEN [${own}] ELSE ${nested} END`;
  const cells = `SELECT list_transform(${said}, lambda x: lower(coalesce(x, 'false'))) AS said
    FROM (SELECT ${jsonSql(quotedName(name))} AS cell FROM t WHERE ${quotedName(name)} IS NOT NULL)`;
  const isTrue = `x IN ('true', '1', '1.0')`;
  const isKnown = `x IN ('true', '1', '1.0', 'false', '0', '0.0')`;
  const [valid, unknown] = await table.row(
    `SELECT count(*) FILTER (len(said) > 0 AND len(list_filter(said, lambda x: ${isTrue})) = len(said)),
      count(*) FILTER (len(said) = 0 OR len(list_filter(said, lambda x: ${isKnown})) < len(said)) FROM (${cells})`,
  );
  return Number(unknown) > 0 ? NOT_CALCULATED : Number(valid);
}

/** A stored type as PyArrow writes it: `list<element: struct<a: int64>>`. */
function storedTypeName(type: ArrowType): string {
  if (typeof type === 'string') return NAMES[type];
  if ('list' in type) return `list<element: ${storedTypeName(type.list)}>`;
  return `struct<${type.struct.map((member) => `${member.name}: ${storedTypeName(member.type)}`).join(', ')}>`;
}

/** A stored type in plain words: int, float, string, bool, `list[…]`, dict. */
function dataTypeName(type: ArrowType): string {
  if (typeof type === 'string') return SIMPLE[type];
  return 'list' in type ? `list[${dataTypeName(type.list)}]` : 'dict';
}
