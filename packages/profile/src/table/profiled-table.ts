import type { ArrowType } from '@data-designer/core';
import type { DuckDBConnection } from '@duckdb/node-api';
import { isOutOfMemory, quotedPath } from '@data-designer/seeds/duck-db';
import { type CalculatedValue, NOT_CALCULATED } from '../dataset-profile.ts';

/** Rows up to this size before compression are loaded once: querying files with many columns costs more than the counting. */
const SMALL_BYTES = 32_000_000;

/** A value of every record: a column, or a field of a struct. */
export interface ProfiledValue {
  /** The name of the column. */
  readonly column: string;
  /** An expression over a row of `t`. */
  readonly sql: string;
  readonly type: ArrowType;
  readonly json: boolean;
}

/** One row of a query's result, as JavaScript values. */
export type AnswerRow = readonly unknown[];

/** The rows of Parquet files as a SQL table named `t`. */
export class ProfiledTable {
  readonly #connection: DuckDBConnection;
  /** The Parquet files, whose rows in order are the records. */
  readonly files: readonly string[];
  /** The number of rows. */
  readonly records: number;
  /** Whether a calculation ran out of memory. */
  ranOut = false;

  private constructor(connection: DuckDBConnection, files: readonly string[], records: number) {
    this.#connection = connection;
    this.files = files;
    this.records = records;
  }

  static async open(connection: DuckDBConnection, files: readonly string[]): Promise<ProfiledTable> {
    const list = files.map(quotedPath).join(', ');
    const size = `SELECT sum(total_uncompressed_size) FROM parquet_metadata([${list}])`;
    const [[bytes] = []] = (await connection.runAndReadAll(size)).getRowsJS();
    const kind = Number(bytes) <= SMALL_BYTES ? 'TABLE' : 'VIEW';
    await connection.run(`CREATE TEMP ${kind} t AS SELECT * FROM read_parquet([${list}])`);
    const [[records] = []] = (await connection.runAndReadAll('SELECT count(*) FROM t')).getRowsJS();
    return new ProfiledTable(connection, files, Number(records));
  }

  async rows(sql: string): Promise<readonly AnswerRow[]> {
    return (await this.#connection.runAndReadAll(sql)).getRowsJS();
  }

  /** The one row of an aggregate. */
  async row(sql: string): Promise<AnswerRow> {
    return (await this.rows(sql))[0] ?? [];
  }

  async run(sql: string): Promise<void> {
    await this.#connection.run(sql);
  }

  /** The result of a calculation, or the mark that it failed. */
  async calculated<Value>(calculate: () => Promise<Value>): Promise<CalculatedValue<Value>> {
    try {
      return await calculate();
    } catch (thrown) {
      this.ranOut ||= isOutOfMemory(thrown);
      return NOT_CALCULATED;
    }
  }
}

/** SQL of a struct or of JSON text as JSON. */
export function jsonSql(expression: string): string {
  const json = `to_json(${expression})`;
  return `CASE WHEN json_type(${json}) = 'VARCHAR' THEN CAST(json_extract_string(${json}, '$') AS JSON) ELSE ${json} END`;
}
