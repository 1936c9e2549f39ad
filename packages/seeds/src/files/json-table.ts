import type { DuckDBConnection } from '@duckdb/node-api';
import { quotedName, quotedPaths, quotedText } from '../duck-db/sql-text.ts';
import { renamedColumns } from './renamed-columns.ts';
import { mapScalars, type TableType, tableType, typeSql } from './table-type.ts';

/** Types that DuckDB guesses for JSON strings. */
const GUESSED = /^(?:DATE|TIME|TIMESTAMP|UUID)/;
/** Digits that a float may round. */
const LONG_INTEGER = '(^|[^0-9.eE+-])-?[0-9]{16,}([^0-9.eE]|$)';

/** SQL of the table in JSON files: all rows decide the types, strings stay text, and no integer is rounded. */
export async function jsonTable(
  connection: DuckDBConnection,
  files: readonly string[],
  maxRowBytes: number,
): Promise<string> {
  const options = `sample_size = -1, maximum_sample_files = ${files.length}, maximum_object_size = ${maxRowBytes}`;
  const paths = quotedPaths(files);
  const guessed = `read_json(${paths}, union_by_name = true, ${options})`;
  const head = await connection.runAndReadAll(`SELECT * FROM ${guessed} LIMIT 0`);
  const names = head.columnNames();
  const renamed = await renamedColumns(connection, names, { files, format: 'json' });
  const found = names.map((name, index) => ({ name, type: tableType(head.columnType(index)) }));
  const typed = found.map(({ name, type }) => ({
    name,
    type: mapScalars(type, (scalar) => (GUESSED.test(scalar) ? 'VARCHAR' : scalar)),
  }));
  const long = await longIntegers(
    connection,
    typed.filter(({ type }) => hasDouble(type)),
    { paths, options },
  );
  const wanted = typed.map(({ name, type }) => (long.has(name) ? { name, type: 'JSON' } : { name, type }));
  const isChanged = JSON.stringify(wanted) !== JSON.stringify(found);
  // DuckDB finds the keys of declared columns without regard to case.
  if (isChanged && renamed[0]) {
    const { name } = renamed[0];
    throw new Error(
      `two keys have the name '${name}' apart from upper and lower case, so its values cannot keep their types`,
    );
  }
  return isChanged ? `read_json(${paths}, columns = ${columnsSql(wanted)}, ${options})` : guessed;
}

interface Column {
  readonly name: string;
  readonly type: TableType;
}

function columnsSql(columns: readonly Column[]): string {
  return `{${columns.map(({ name, type }) => `${quotedName(name)}: ${quotedText(typeSql(type))}`).join(', ')}}`;
}

function hasDouble(type: TableType): boolean {
  let found = false;
  mapScalars(type, (scalar) => {
    found ||= scalar === 'DOUBLE';
    return scalar;
  });
  return found;
}

/** The columns of floats that hold an integer which a float may round. */
async function longIntegers(
  connection: DuckDBConnection,
  columns: readonly Column[],
  { paths, options }: { readonly paths: string; readonly options: string },
): Promise<ReadonlySet<string>> {
  if (columns.length === 0) return new Set();
  const raw = columnsSql(columns.map(({ name }) => ({ name, type: 'JSON' })));
  const tests = columns.map(
    ({ name }) => `bool_or(regexp_matches(CAST(${quotedName(name)} AS VARCHAR), '${LONG_INTEGER}'))`,
  );
  const read = await connection.runAndReadAll(
    `SELECT ${tests.join(', ')} FROM read_json(${paths}, columns = ${raw}, ${options})`,
  );
  const [row = []] = read.getRowsJson();
  return new Set(columns.flatMap(({ name }, index) => (row[index] === true ? [name] : [])));
}
