import init, { type Sqlite3Static, type WasmPointer } from '@sqlite.org/sqlite-wasm';
import type { Guard } from './guard.ts';
import type { SqliteCalls } from './sqlite-calls.ts';
import { installTextFunctions, type TextFunctions } from './text-functions.ts';

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
