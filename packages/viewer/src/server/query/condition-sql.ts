import { toolFailurePrefix } from '@data-designer/core';
import { dateSql } from '@data-designer/profile';
import { quotedName, quotedText } from '@data-designer/seeds/duck-db';
import type { ColumnInfo } from '../../api/columns.ts';
import type { Condition, Filter } from '../../api/filter.ts';
import { searchedColumns } from '../../cell-texts.ts';
import { unknownColumn } from '../request-failure.ts';

/** The columns of the table by name. */
export type ColumnsByName = ReadonlyMap<string, ColumnInfo>;

/** SQL of the place of a row: the file and the row within it. */
export const PLACE = '"__file", "__row"';

/** SQL after `FROM dataset` that selects the rows of a filter, and of `places` if given. */
export function whereSql(filter: Filter, columns: ColumnsByName, places?: string): string {
  const { where = [], search, model, tool, failedTool, sql } = filter;
  const parts = [
    ...(places === undefined ? [] : [places]),
    ...where.map((condition) => conditionSql(condition, columns)),
    ...(search ? [searchSql(search, columns)] : []),
    ...(model ? [modelSql(model, columns)] : []),
    ...(tool ? [toolSql(tool, columns)] : []),
    ...(failedTool ? [failedToolSql(failedTool, columns)] : []),
    // A line break ends a comment of the condition.
    ...(sql?.trim() ? [`(${sql}\n)`] : []),
  ];
  return parts.length > 0 ? `WHERE ${parts.join(' AND ')}` : '';
}

/** SQL of the order of a filter; rows of equal values keep their order. */
export function orderSql({ sort = [] }: Filter, columns: ColumnsByName): string {
  if (sort.length === 0) return '';
  const keys = sort.flatMap(({ column, path = [], descending }) => {
    const info = columnOf(column, columns);
    const order = `${descending ? 'DESC' : 'ASC'} NULLS LAST`;
    // A member is read as text: numbers are ordered as such, and come before texts.
    if (path.length > 0) {
      const text = valueSql(info, path);
      return [`TRY_CAST(${text} AS DOUBLE) ${order}`, `${text} ${order}`];
    }
    return [`${info.isNested ? jsonText(info) : quotedName(column)} ${order}`];
  });
  return `ORDER BY ${keys.join(', ')}, ${PLACE}`;
}

/** SQL of a column's value, or of a member of it as text. */
export function valueSql(column: ColumnInfo, path: readonly string[] = []): string {
  if (path.length === 0) return quotedName(column.name);
  const steps = path.map((name) => `.${JSON.stringify(name)}`).join('');
  return `json_extract_string(${jsonSql(column)}, ${quotedText(`$${steps}`)})`;
}

function conditionSql(condition: Condition, columns: ColumnsByName): string {
  const { path = [] } = condition;
  const column = columnOf(condition.column, columns);
  const value = valueSql(column, path);
  const text = column.isNested && path.length === 0 ? jsonText(column) : `CAST(${value} AS VARCHAR)`;
  switch (condition.op) {
    case 'null':
      return `${value} IS NULL`;
    case 'not-null':
      return `${value} IS NOT NULL`;
    case 'contains':
      return `contains(lower(${text}), lower(${quotedText(condition.text)}))`;
    case 'matches':
      return `regexp_matches(${text}, ${quotedText(condition.text)})`;
    case 'one-of':
      return condition.values.length === 0
        ? 'false'
        : `(${condition.values.map((one) => equalsSql(value, path, one)).join(' OR ')})`;
    case 'between':
    case 'length': {
      const { low, high, isLast = false } = condition;
      const measured = condition.op === 'length' ? `length(${text})` : comparable(value, path, low);
      return `(${measured} >= ${literal(low)} AND ${measured} ${isLast ? '<=' : '<'} ${literal(high)})`;
    }
    case 'dates': {
      const time = timeSql(column, path);
      const [low, high] = [condition.low, condition.high].map(
        (edge) => edge && `TRY_CAST(${quotedText(edge)} AS TIMESTAMP)`,
      );
      return time === undefined ? 'false' : `(${time} >= ${low}${high ? ` AND ${time} < ${high}` : ''})`;
    }
    case 'equals':
      return equalsSql(value, path, condition.value);
    case 'not':
      return `NOT coalesce(${equalsSql(value, path, condition.value)}, false)`;
    default:
      return `${comparable(value, path, condition.value)} ${SIGNS[condition.op]} ${literal(condition.value)}`;
  }
}

const SIGNS = { less: '<', 'at-most': '<=', more: '>', 'at-least': '>=' } as const;

/** SQL of the time that a value is or names, as the profile counts it; undefined if its format cannot be read. */
function timeSql(column: ColumnInfo, path: readonly string[]): string | undefined {
  const value = valueSql(column, path);
  const isText = path.length > 0 || column.type === 'utf8';
  return isText ? dateSql(value, [], column.dateFormat) : `CAST(${value} AS TIMESTAMP)`;
}

function equalsSql(value: string, path: readonly string[], wanted: string | number | boolean): string {
  // A member is read as text.
  if (path.length > 0 && typeof wanted !== 'number') return `${value} = ${quotedText(String(wanted))}`;
  return `${comparable(value, path, wanted)} = ${literal(wanted)}`;
}

/** A value that compares with a number as a number. */
function comparable(value: string, path: readonly string[], wanted: string | number | boolean): string {
  return path.length > 0 && typeof wanted === 'number' ? `TRY_CAST(${value} AS DOUBLE)` : value;
}

function literal(value: string | number | boolean): string {
  if (typeof value === 'string') return quotedText(value);
  return typeof value === 'number' ? `CAST(${quotedText(String(value))} AS DOUBLE)` : String(value);
}

function searchSql(text: string, columns: ColumnsByName): string {
  const searched = searchedColumns([...columns.values()], text);
  const found = searched.map((column) => {
    const value = column.isNested ? jsonText(column) : `CAST(${quotedName(column.name)} AS VARCHAR)`;
    return `contains(lower(${value}), lower(${quotedText(text)}))`;
  });
  return anyOf(found.map((one) => `coalesce(${one}, false)`));
}

function modelSql(alias: string, columns: ColumnsByName): string {
  const made = [...columns.values()].filter(({ models }) => models.includes(alias));
  return anyOf(made.map(({ name }) => `${quotedName(name)} IS NOT NULL`));
}

function toolSql(tool: string, columns: ColumnsByName): string {
  const isCall = `lambda call: call."function"."name" = ${quotedText(tool)}`;
  return conversationSql(`len(list_filter(message."tool_calls", ${isCall})) > 0`, columns);
}

function failedToolSql(tool: string, columns: ColumnsByName): string {
  const isFailure = `starts_with(message."content", ${quotedText(toolFailurePrefix(tool))})`;
  return conversationSql(`message."role" = 'tool' AND ${isFailure}`, columns);
}

/** Whether a message of a row fits; conversations are lists of messages, those of other tools may be JSON text. */
function conversationSql(fits: string, columns: ColumnsByName): string {
  const traces = [...columns.values()].filter(({ shown, type }) => shown === 'conversation' && type.startsWith('list'));
  const found = traces.map(({ name }) => {
    const messages = `list_filter(${quotedName(name)}, lambda message: ${fits})`;
    return `coalesce(len(${messages}) > 0, false)`;
  });
  return anyOf(found);
}

function anyOf(parts: readonly string[]): string {
  return parts.length === 0 ? 'false' : `(${parts.join(' OR ')})`;
}

function jsonSql({ name, type }: ColumnInfo): string {
  return type === 'json' ? `TRY_CAST(${quotedName(name)} AS JSON)` : `to_json(${quotedName(name)})`;
}

function jsonText(column: ColumnInfo): string {
  return column.type === 'json' ? quotedName(column.name) : `CAST(${jsonSql(column)} AS VARCHAR)`;
}

/** A column of a filter; throws where there is none of this name. */
export function columnOf(name: string, columns: ColumnsByName): ColumnInfo {
  const column = columns.get(name);
  if (!column) throw unknownColumn(name, columns.keys());
  return column;
}
