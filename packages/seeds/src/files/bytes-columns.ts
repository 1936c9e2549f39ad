import type { DuckDBConnection, DuckDBResultReader, DuckDBType } from '@duckdb/node-api';
import { isStoredFile } from '../tables/stored-file.ts';
import { quotedName } from '../duck-db/sql-text.ts';

/** SQL of a table, and of the parts that it joins. */
interface Tables {
  readonly sql: string;
  readonly parts: readonly string[];
}

/** Columns of bytes are warned of where one of so many first rows is text. */
const LOOKED_AT_ROWS = 100;

interface BytesColumn {
  readonly name: string;
  readonly type: DuckDBType;
}

/**
 * SQL of a table whose columns of bytes, by its `head`, have one form each: as they are where every value is text, else Base64 in all rows.
 * `mixed` are the columns that become Base64 although early rows are text.
 */
export async function withBytesInOneForm(
  connection: DuckDBConnection,
  { sql, parts }: Tables,
  head: DuckDBResultReader,
): Promise<Tables & { readonly mixed: readonly string[] }> {
  const columns = head.columnNames().map((name, index): BytesColumn => ({ name, type: head.columnType(index) }));
  const binary: BytesColumn[] = [];
  for (const column of columns.filter(({ type }) => holdsBytes(type))) {
    if (await hasRow(connection, sql, `NOT ${isTextSql(quotedName(column.name), column.type)}`)) binary.push(column);
  }
  if (binary.length === 0) return { sql, parts, mixed: [] };
  const mixed: string[] = [];
  for (const { name, type } of binary) {
    const value = quotedName(name);
    const isText = `${isTextSql(value, type)} AND CAST(${base64Sql(value, type)} AS VARCHAR) <> CAST(${value} AS VARCHAR)`;
    if (await hasRow(connection, `(FROM ${sql} LIMIT ${LOOKED_AT_ROWS})`, isText)) mixed.push(name);
  }
  const encoded = binary.map(({ name, type }) => `${base64Sql(quotedName(name), type)} AS ${quotedName(name)}`);
  const inBase64 = (table: string): string => `SELECT * REPLACE (${encoded.join(', ')}) FROM ${table}`;
  return { sql: `(${inBase64(sql)})`, parts: parts.map((part) => inBase64(`(${part})`)), mixed };
}

async function hasRow(connection: DuckDBConnection, table: string, condition: string): Promise<boolean> {
  const read = await connection.runAndReadAll(`SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1`);
  return read.currentRowCount > 0;
}

/** The values within a type that may be bytes, without the content of stored files, which is always Base64. */
function holdsBytes(type: DuckDBType): boolean {
  if (type.toString() === 'BLOB') return true;
  if ('entryTypes' in type) return membersOf(type).some((member) => !member.isContent && holdsBytes(member.type));
  return 'valueType' in type && holdsBytes(type.valueType);
}

function membersOf({
  entryNames,
  entryTypes,
}: {
  readonly entryNames: readonly string[];
  readonly entryTypes: readonly DuckDBType[];
}) {
  const isFile = isStoredFile(entryNames.map((name) => ({ name })));
  return entryTypes.map((type, index) => ({
    name: entryNames[index] ?? '',
    at: index + 1,
    type,
    isContent: isFile && type.toString() === 'BLOB',
  }));
}

/** Whether all bytes in a value are UTF-8 text. NUL stands only in binary files. */
function isTextSql(value: string, type: DuckDBType, depth = 0): string {
  if (!holdsBytes(type)) return 'true';
  if ('entryTypes' in type) {
    const members = membersOf(type).filter((member) => !member.isContent && holdsBytes(member.type));
    return `(${members.map((member) => isTextSql(memberSql(value, member.at), member.type, depth)).join(' AND ')})`;
  }
  if ('valueType' in type) {
    const item = `b${depth}`;
    const items = 'keyType' in type ? `map_values(${value})` : value;
    return `coalesce(list_bool_and(list_transform(${items}, lambda ${item}: ${isTextSql(item, type.valueType, depth + 1)})), true)`;
  }
  return `coalesce(NOT contains(TRY(decode(${value})), chr(0)), ${value} IS NULL)`;
}

/** A value with all its bytes as Base64 text. */
function base64Sql(value: string, type: DuckDBType, depth = 0): string {
  if (!holdsBytes(type)) return value;
  if ('entryTypes' in type) {
    const members = membersOf(type).map(({ name, at, type: member, isContent }) => {
      const part = memberSql(value, at);
      return `${quotedName(name)} := ${isContent ? part : base64Sql(part, member, depth)}`;
    });
    return `CASE WHEN ${value} IS NULL THEN NULL ELSE struct_pack(${members.join(', ')}) END`;
  }
  if ('valueType' in type) {
    const item = `b${depth}`;
    if ('keyType' in type) {
      const pair = `key := ${item}.key, value := ${base64Sql(`${item}.value`, type.valueType, depth + 1)}`;
      return `map_from_entries(list_transform(map_entries(${value}), lambda ${item}: struct_pack(${pair})))`;
    }
    return `list_transform(${value}, lambda ${item}: ${base64Sql(item, type.valueType, depth + 1)})`;
  }
  return `to_base64(${value})`;
}

function memberSql(struct: string, at: number): string {
  return `struct_extract_at(${struct}, ${at})`;
}
