import type { WasmPointer } from '@sqlite.org/sqlite-wasm';

/** The used functions of the C interface, with pointers as numbers. */
export interface SqliteCalls {
  sqlite3_set_authorizer(db: WasmPointer, callback: WasmPointer, context: number): number;
  sqlite3_progress_handler(db: WasmPointer, steps: number, callback: WasmPointer, context: number): void;
  sqlite3_limit(db: WasmPointer, limit: number, value: number): number;
  sqlite3_prepare_v3(
    db: WasmPointer,
    sql: WasmPointer,
    bytes: number,
    flags: number,
    statement: WasmPointer,
    tail: WasmPointer,
  ): number;
  sqlite3_step(statement: WasmPointer): number;
  sqlite3_reset(statement: WasmPointer): number;
  sqlite3_finalize(statement: WasmPointer): number;
  sqlite3_get_autocommit(db: WasmPointer): number;
  sqlite3_randomness(bytes: number, to: WasmPointer): void;
  sqlite3_set_last_insert_rowid(db: WasmPointer, id: bigint): void;
  sqlite3_db_status(db: WasmPointer, what: number, current: WasmPointer, highest: WasmPointer, reset: number): number;
  sqlite3_errmsg(db: WasmPointer): WasmPointer;
  sqlite3_changes(db: WasmPointer): number;
  sqlite3_stmt_readonly(statement: WasmPointer): number;
  sqlite3_bind_parameter_count(statement: WasmPointer): number;
  sqlite3_bind_parameter_name(statement: WasmPointer, at: number): WasmPointer;
  sqlite3_bind_null(statement: WasmPointer, at: number): number;
  sqlite3_bind_int64(statement: WasmPointer, at: number, value: bigint): number;
  sqlite3_bind_double(statement: WasmPointer, at: number, value: number): number;
  sqlite3_bind_text(statement: WasmPointer, at: number, text: WasmPointer, bytes: number, destroy: number): number;
  sqlite3_column_count(statement: WasmPointer): number;
  sqlite3_column_name(statement: WasmPointer, at: number): WasmPointer;
  sqlite3_column_type(statement: WasmPointer, at: number): number;
  sqlite3_column_int64(statement: WasmPointer, at: number): bigint;
  sqlite3_column_double(statement: WasmPointer, at: number): number;
  sqlite3_column_text(statement: WasmPointer, at: number): WasmPointer;
  sqlite3_column_blob(statement: WasmPointer, at: number): WasmPointer;
  sqlite3_column_bytes(statement: WasmPointer, at: number): number;
  sqlite3_status(what: number, current: WasmPointer, highest: WasmPointer, reset: number): number;
  sqlite3_create_function_v2(
    db: WasmPointer,
    name: WasmPointer,
    count: number,
    flags: number,
    ...rest: readonly number[]
  ): number;
  sqlite3_value_type(value: WasmPointer): number;
  sqlite3_value_text(value: WasmPointer): WasmPointer;
  sqlite3_value_blob(value: WasmPointer): WasmPointer;
  sqlite3_value_bytes(value: WasmPointer): number;
  sqlite3_value_dup(value: WasmPointer): WasmPointer;
  sqlite3_value_free(value: WasmPointer): void;
  sqlite3_result_int(context: WasmPointer, value: number): void;
  sqlite3_result_text(context: WasmPointer, text: WasmPointer, bytes: number, destroy: number): void;
  sqlite3_result_error_toobig(context: WasmPointer): void;
}
