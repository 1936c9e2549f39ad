import type { DuckDBConnection } from '@duckdb/node-api';
import type { ArrowField, ArrowType } from '@data-designer/core';
import { arrowOfDuckDb } from '../arrow/arrow-of-duck-db.ts';
import { quotedName, quotedPath, tableSql } from '../duck-db/sql-text.ts';
import { withNullTypes } from './null-columns.ts';
import { parquetFooter } from './parquet-footer.ts';
import { joinMembers, NULLS, type TableMember, type TableType, tableType, typeSql } from './table-type.ts';

/** A column of a part that no type of the other parts holds. */
export interface PartConflict {
  readonly file: string;
  readonly reason: string;
}

/** A column of the table that a file lacks. */
export interface LackedColumn {
  readonly file: string;
  readonly name: string;
}

/** A group of files with the same columns, in their order. */
interface Part {
  readonly files: string[];
  readonly columns: readonly TableMember[];
}

interface JoinedParquet {
  readonly sql: string;
  readonly parts: readonly string[];
  readonly lacking: readonly LackedColumn[];
}

/** SQL of Parquet files joined by the names of their columns, and of their parts; or why they cannot be joined. */
export async function joinParquet(
  connection: DuckDBConnection,
  files: readonly string[],
): Promise<JoinedParquet | PartConflict> {
  const parts: Part[] = [];
  let schema: string | undefined;
  for (const file of files) {
    const own = JSON.stringify((await parquetFooter(file)).schema);
    const last = parts.at(-1);
    // DuckDB's columns follow from the schema: thousands of files with the same one are asked once.
    const columns = last && own === schema ? last.columns : await columnsOf(connection, file);
    schema = own;
    if (last && JSON.stringify(last.columns) === JSON.stringify(columns)) last.files.push(file);
    else parts.push({ files: [file], columns });
  }
  const [first, ...later] = parts;
  if (!first || later.length === 0) return { sql: tableSql(files, 'parquet'), parts: [], lacking: [] };
  const columns = await joinedColumns(connection, [first, ...later]);
  if ('reason' in columns) return columns;
  for (const part of parts) {
    const lost = await lostInteger(connection, part, columns);
    if (lost) return lost;
  }
  const selects = parts.map((part) => partSql(part, columns));
  const names = columns.map(({ name }) => name);
  const written = parts.map((part) => ({ file: String(part.files[0]), names: part.columns.map(({ name }) => name) }));
  return { sql: `(${selects.join(' UNION ALL ')})`, parts: selects, lacking: lackedColumns(names, written) };
}

/** Each column that a part lacks, once, with the first such file; upper and lower case are equal. */
export function lackedColumns(
  names: readonly string[],
  parts: readonly { readonly file: string; readonly names: readonly string[] }[],
): LackedColumn[] {
  const known = parts.map(({ file, names: own }) => ({ file, own: new Set(own.map((name) => name.toLowerCase())) }));
  return names.flatMap((name) => {
    const part = known.find(({ own }) => !own.has(name.toLowerCase()));
    return part ? [{ file: part.file, name }] : [];
  });
}

/** The columns of all parts; a column that holds only nulls in a part takes the type of the others where types differ. */
async function joinedColumns(
  connection: DuckDBConnection,
  parts: readonly Part[],
): Promise<readonly TableMember[] | PartConflict> {
  let columns: readonly TableMember[] = [];
  for (const part of parts) {
    let joined = joinMembers(columns, part.columns);
    while ('differs' in joined) {
      const { differs, from } = joined;
      if (await holdsOnlyNulls(connection, [part], differs.name)) {
        const own = part.columns.map((column) => (column === differs ? { ...column, type: NULLS } : column));
        joined = joinMembers(columns, own);
      } else if (await holdsOnlyNulls(connection, parts.slice(0, parts.indexOf(part)), from.name)) {
        columns = columns.map((column) => (column === from ? { ...column, type: NULLS } : column));
        joined = joinMembers(columns, part.columns);
      } else return conflict(String(part.files[0]), joined);
    }
    columns = joined;
  }
  return columns;
}

async function holdsOnlyNulls(connection: DuckDBConnection, parts: readonly Part[], name: string): Promise<boolean> {
  for (const { files, columns } of parts) {
    if (!columns.some((column) => column.name.toLowerCase() === name.toLowerCase())) continue;
    const counted = await connection.runAndReadAll(
      `SELECT count(${quotedName(name)}) FROM ${tableSql(files, 'parquet')}`,
    );
    if (Number(counted.getRowsJson()[0]?.[0]) > 0) return false;
  }
  return true;
}

function conflict(
  file: string,
  { differs, from }: { readonly differs: TableMember; readonly from: TableMember },
): PartConflict {
  const types = `${typeSql(differs.type)} from row 1 on, but ${typeSql(from.type)} in an earlier file`;
  return { file, reason: `column '${differs.name}' is ${types}, and no type holds both` };
}

async function columnsOf(connection: DuckDBConnection, file: string): Promise<TableMember[]> {
  const head = await connection.runAndReadAll(`SELECT * FROM ${tableSql([file], 'parquet')} LIMIT 0`);
  const names = head.columnNames();
  const fields = names.map((name, index) => arrowOfDuckDb(name, head.columnType(index)));
  const nulls = await withNullTypes(fields, [file]);
  return names.map((name, index) => ({ name, type: nullsIn(tableType(head.columnType(index)), nulls[index]) }));
}

/** A type with the members that hold only nulls. */
function nullsIn(type: TableType, field: Pick<ArrowField, 'type'> | undefined): TableType {
  const arrow: ArrowType | undefined = field?.type;
  if (arrow === 'null') return NULLS;
  if (typeof type === 'string' || arrow === undefined || typeof arrow === 'string') return type;
  if ('list' in type && 'list' in arrow) return { list: nullsIn(type.list, { type: arrow.list }) };
  if (!('struct' in type && 'struct' in arrow)) return type;
  return { struct: type.struct.map((member, at) => ({ ...member, type: nullsIn(member.type, arrow.struct[at]) })) };
}

function partSql({ files, columns: own }: Part, columns: readonly TableMember[]): string {
  const selected = columns.map(({ name, type }) => {
    const known = own.find((column) => column.name.toLowerCase() === name.toLowerCase());
    return `CAST(${known ? quotedName(known.name) : 'NULL'} AS ${typeSql(type)}) AS ${quotedName(name)}`;
  });
  return `SELECT ${selected.join(', ')} FROM ${tableSql(files, 'parquet')}`;
}

/** An integer that the floats of another part would round; integers within lists and structs are not looked at. */
async function lostInteger(
  connection: DuckDBConnection,
  { files, columns: own }: Part,
  columns: readonly TableMember[],
): Promise<PartConflict | undefined> {
  const rounded = own.filter(({ name, type }) => {
    const wanted = columns.find((column) => column.name.toLowerCase() === name.toLowerCase())?.type;
    return wanted !== undefined && JSON.stringify(wanted) !== JSON.stringify(type) && roundsIn(type, wanted);
  });
  for (const { name } of rounded) {
    for (const file of files) {
      const from = `read_parquet(${quotedPath(file)}, file_row_number = true)`;
      const text = `CAST(${quotedName(name)} AS VARCHAR)`;
      const big = `list_max([abs(TRY_CAST(d AS HUGEINT)) FOR d IN regexp_extract_all(${text}, '[0-9]{16,}')]) > 9007199254740992`;
      const read = await connection.runAndReadAll(`SELECT file_row_number + 1 FROM ${from} WHERE ${big} LIMIT 1`);
      const row = read.getRowsJson()[0]?.[0];
      if (row === undefined) continue;
      const reason = `column '${name}' has an integer in row ${Number(row)} that the floats of another file would round`;
      return { file, reason };
    }
  }
  return undefined;
}

function roundsIn(type: TableType, wanted: TableType): boolean {
  if (typeof type === 'string') return wanted === 'DOUBLE' && /INT/.test(type);
  if (typeof wanted === 'string') return false;
  if ('list' in type && 'list' in wanted) return roundsIn(type.list, wanted.list);
  if (!('struct' in type && 'struct' in wanted)) return false;
  return type.struct.some(({ name, type: member }) => {
    const other = wanted.struct.find((one) => one.name.toLowerCase() === name.toLowerCase());
    return other !== undefined && roundsIn(member, other.type);
  });
}
