import type { ArrowField, Distribution, Plan, PlannedColumn } from '@data-designer/core';
import { quotedName } from '@data-designer/seeds/duck-db';
import { type ColumnProfile, type FieldProfile, type Figure, NOT_CALCULATED } from '../dataset-profile.ts';
import type { FirstTexts } from '../table/first-texts.ts';
import { jsonSql, type ProfiledTable, type ProfiledValue } from '../table/profiled-table.ts';
import type { TableStatistics } from '../table/table-statistics.ts';
import { profileValue } from './value-profile.ts';

/** The number of records whose values are shown as examples. */
const EXAMPLES = 3;

/** A field of a struct, in SQL. */
export interface StructField extends ProfiledValue {
  readonly path: readonly string[];
}

/** A value, and the figures already counted. */
export interface CountedValue<Value extends ProfiledValue> {
  readonly value: Value;
  readonly nulls: Figure;
  readonly first: FirstTexts;
}

/** A column and the figures already counted. */
export interface CountedColumn {
  readonly column: PlannedColumn;
  /** How statistics describe its values; undefined if they are not drawn. */
  readonly distribution: Distribution | undefined;
  readonly own: CountedValue<ProfiledValue>;
  readonly fields: readonly CountedValue<StructField>[];
  readonly omittedFields: number;
}

/** The profile of one column; a figure that fails is marked and does not affect the others. */
export async function profileColumn(statistics: TableStatistics, counted: CountedColumn): Promise<ColumnProfile> {
  const { column, own, distribution, omittedFields } = counted;
  const { sql: table } = statistics;
  const config = column.config as {
    readonly columnType: string;
    readonly samplerType?: string;
    readonly convertTo?: unknown;
  };
  const isValidation = 'validatorType' in config;
  const { value, ...known } = own;
  const profile = await profileValue(statistics, value, { ...known, distribution, dateFormat: config.convertTo });
  const fields: FieldProfile[] = [];
  for (const { value: field, ...found } of counted.fields) {
    fields.push({ path: field.path, ...(await profileValue(statistics, field, found)) });
  }
  return {
    name: column.name,
    columnType: config.columnType,
    ...(config.samplerType === undefined ? {} : { samplerType: config.samplerType }),
    ...(distribution === undefined ? {} : { distribution }),
    ...profile,
    examples: own.first.slice(0, EXAMPLES),
    ...(fields.length === 0 ? {} : { fields }),
    ...(omittedFields === 0 ? {} : { omittedFields }),
    ...(isValidation && table ? { valid: await table.calculated(() => countValid(table, value.sql)) } : {}),
  };
}

/** The declared columns in the order of the table, without dropped ones. */
export function declaredColumns({ columns, fields }: Plan): readonly { column: PlannedColumn; field: ArrowField }[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return fields.flatMap((field) => {
    const column = byName.get(field.name);
    return column ? [{ column, field }] : [];
  });
}

/** A column as a value. */
export function columnValue({ name, type, json = false }: ArrowField): ProfiledValue {
  return { column: name, sql: quotedName(name), type, json };
}

/** The fields of a struct that are not structs themselves, at any depth; none of other values. */
export function structFields(
  { column, sql, type }: ProfiledValue,
  path: readonly string[] = [],
): readonly StructField[] {
  if (typeof type === 'string' || !('struct' in type)) return [];
  return type.struct.flatMap(({ name, type: own, json = false }, index) => {
    const field = { column, path: [...path, name], sql: `struct_extract_at(${sql}, ${index + 1})`, type: own, json };
    return typeof own === 'object' && 'struct' in own ? structFields(field, field.path) : [field];
  });
}

/** The number of cells valid in all targets (null is not); the mark if a cell says neither true nor false. */
async function countValid(table: ProfiledTable, cell: string): Promise<Figure> {
  const own = `json_extract_string(cell, '/is_valid')`;
  const nested = `json_extract_string(cell, '$.*.is_valid')`;
  const said = `CASE WHEN json_exists(cell, '/is_valid') THEN [${own}] ELSE ${nested} END`;
  const cells = `SELECT list_transform(${said}, lambda x: lower(coalesce(x, 'false'))) AS said
    FROM (SELECT ${jsonSql(cell)} AS cell FROM t WHERE ${cell} IS NOT NULL)`;
  const isTrue = `x IN ('true', '1', '1.0')`;
  const isKnown = `x IN ('true', '1', '1.0', 'false', '0', '0.0')`;
  const [valid, unknown] = await table.row(
    `SELECT count(*) FILTER (len(said) > 0 AND len(list_filter(said, lambda x: ${isTrue})) = len(said)),
      count(*) FILTER (len(said) = 0 OR len(list_filter(said, lambda x: ${isKnown})) < len(said)) FROM (${cells})`,
  );
  return Number(unknown) > 0 ? NOT_CALCULATED : Number(valid);
}
