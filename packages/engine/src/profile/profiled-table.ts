import type { DuckDBConnection } from '@duckdb/node-api';
import { isOutOfMemory } from '../seed/with-duck-db.ts';
import { quotedPath } from '../seed/seed-table.ts';
import { type Calculated, NOT_CALCULATED } from './dataset-profile.ts';

/** One row of an answer, its values as JavaScript has them. */
export type AnswerRow = readonly unknown[];

/** The rows of Parquet files as a table that is asked in SQL, where it is called `t`. */
export class ProfiledTable {
  readonly #connection: DuckDBConnection;
  /** Whether something could not be calculated for want of memory. */
  ranOut = false;

  private constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  static async open(connection: DuckDBConnection, files: readonly string[]): Promise<ProfiledTable> {
    const list = files.map(quotedPath).join(', ');
    await connection.run(`CREATE TEMP VIEW t AS SELECT * FROM read_parquet([${list}])`);
    return new ProfiledTable(connection);
  }

  async rows(sql: string): Promise<readonly AnswerRow[]> {
    return (await this.#connection.runAndReadAll(sql)).getRowsJS();
  }

  /** The one row of an aggregate. */
  async row(sql: string): Promise<AnswerRow> {
    return (await this.rows(sql))[0] as AnswerRow;
  }

  async run(sql: string): Promise<void> {
    await this.#connection.run(sql);
  }

  /** What a calculation gives, or the mark that it failed. */
  async calculated<Value>(calculate: () => Promise<Value>): Promise<Calculated<Value>> {
    try {
      return await calculate();
    } catch (thrown) {
      this.ranOut ||= isOutOfMemory(thrown);
      return NOT_CALCULATED;
    }
  }
}
