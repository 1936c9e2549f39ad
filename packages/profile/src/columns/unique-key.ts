import type { ArrowField, ArrowType } from '@data-designer/core';
import { quotedName } from '@data-designer/seeds';

/**
 * SQL for what two values of a column have in common when they count as one: the value itself, or a digest of 128 bits
 * of its text. List items are put in order first, at any depth of lists and structs and at the top of JSON text.
 */
export function uniqueKeySql({ name, type, json }: ArrowField): string {
  const column = quotedName(name);
  if (type === 'utf8') return `md5_number(${json === true ? jsonTextSql(column) : column})`;
  return typeof type === 'string' ? column : `md5_number(${textSql(column, type, 0)})`;
}

/** The text of a value with its list items in order. */
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
