import init, { type Sqlite3Static, type WasmPointer } from '@sqlite.org/sqlite-wasm';
import type { Guard } from './guard.ts';
import { installTextFunctions, type TextFunctions } from './text-functions.ts';

/** The used functions of the C interface, with pointers as numbers. */
interface SqliteCalls {
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

/** SQLite in this thread, with the functions that it calls back. */
export interface Sqlite {
  readonly api: Sqlite3Static;
  readonly calls: SqliteCalls;
  readonly authorizer: WasmPointer;
  readonly progress: WasmPointer;
  readonly texts: TextFunctions;
  /** The pointer at an address. */
  readonly pointerAt: (address: WasmPointer) => WasmPointer;
  /** The bytes that all databases of this thread hold. */
  readonly memoryUsed: () => number;
  /** Whether a database waits for rows that its foreign keys name. */
  readonly hasDeferred: (db: WasmPointer) => boolean;
  /** The guard of the statement that runs: SQLite is not entered twice in a thread. */
  guard: Guard | undefined;
}

/** The time between the start of SQLite's calendar and 1970. */
const CALENDAR_1970_MS = 210_866_760_000_000;

const MEMORY_USED = 0;

let loading: Promise<Sqlite> | undefined;

/** Loads SQLite, once per thread. */
export function loadSqlite(): Promise<Sqlite> {
  loading ??= init().then(prepare);
  return loading;
}

/** Installs the callbacks once, since the table of a WebAssembly module only grows. */
function prepare(api: Sqlite3Static): Sqlite {
  const { capi, wasm } = api;
  const calls = wasm.exports as unknown as SqliteCalls;
  const counters = wasm.alloc(8);
  const pointerAt = (address: WasmPointer) => wasm.heap32u()[address / 4] ?? 0;
  const sqlite: Sqlite = {
    api,
    calls,
    authorizer: wasm.installFunction('i(pipppp)', (...[, action, , second]: readonly number[]) =>
      sqlite.guard?.allows(action ?? 0, second ? wasm.cstrToJs(second) : null) === false
        ? capi.SQLITE_DENY
        : capi.SQLITE_OK,
    ),
    progress: wasm.installFunction('i(p)', () => (sqlite.guard?.mayGoOn() === false ? 1 : 0)),
    pointerAt,
    texts: installTextFunctions({ api, calls, pointerAt }),
    memoryUsed: () => {
      calls.sqlite3_status(MEMORY_USED, counters, counters + 4, 0);
      return pointerAt(counters);
    },
    hasDeferred: (db) => {
      calls.sqlite3_db_status(db, capi.SQLITE_DBSTATUS_DEFERRED_FKS, counters, counters + 4, 0);
      return pointerAt(counters) !== 0;
    },
    guard: undefined,
  };
  setSources(sqlite);
  return sqlite;
}

/** The clock and the random numbers of SQLite are those of the row: a world is the same whenever it runs. */
function setSources(sqlite: Sqlite): void {
  const { capi, wasm } = sqlite.api;
  const vfs = new capi.sqlite3_vfs(capi.sqlite3_vfs_find(null));
  const now = (_: WasmPointer, time: WasmPointer): number => {
    const ms = sqlite.guard?.askClock();
    if (ms === undefined) return capi.SQLITE_ERROR;
    wasm.poke64(time, BigInt(CALENDAR_1970_MS + ms));
    return capi.SQLITE_OK;
  };
  const random = (_: WasmPointer, bytes: number, to: WasmPointer): number => {
    const words = Uint32Array.from(sqlite.guard?.seed ?? []);
    wasm
      .heap8u()
      .fill(0, to, to + bytes)
      .set(new Uint8Array(words.buffer).subarray(0, bytes), to);
    return bytes;
  };
  Object.assign(vfs, {
    $xCurrentTimeInt64: wasm.installFunction('i(pp)', now),
    $xRandomness: wasm.installFunction('i(pip)', random),
  });
}
