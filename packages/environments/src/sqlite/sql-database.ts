import { type CellValue, type Fields, Float, type Random, stringifyJson } from '@data-designer/core';
import type { Database, WasmPointer } from '@sqlite.org/sqlite-wasm';
import { Guard, type GuardOptions } from './guard.ts';
import {
  MOST_DATABASE_BYTES,
  MOST_RESULT_CHARACTERS,
  MOST_RESULT_ROWS,
  MOST_VALUE_BYTES,
  STEPS_PER_LOOK,
} from './limits.ts';
import { loadSqlite, type Sqlite } from './sqlite-library.ts';

/** A statement that failed, with the reason of SQLite or of a limit. */
export class SqlFailure extends Error {
  override readonly name = 'SqlFailure';
  /** Whether it took too much time, which it may not do in another run. */
  readonly isLate: boolean;

  constructor(reason: string, isLate = false) {
    super(reason);
    this.isLate = isLate;
  }
}

/** What statements gave. */
export interface SqlResult {
  /** The rows of the last statement that has columns; undefined if none has. */
  readonly rows: readonly Readonly<Record<string, CellValue>>[] | undefined;
  /** The number of rows that the statements changed. */
  readonly changes: number;
}

/** Randomness and time of the statements of one call. */
export interface SqlSources extends Omit<GuardOptions, 'memoryUsed' | 'seed'> {
  readonly random: Random;
}

/** A call as it can run again: statements, each with the values of its named parameters. */
interface SqlCall {
  readonly statements: readonly string[];
  /** The values of each run of every statement. */
  readonly values: Iterable<Fields>;
  readonly options: Omit<GuardOptions, 'memoryUsed'>;
}

const [INTEGER, REAL, TEXT, BLOB] = [1, 2, 3, 4];
const [ROW, DONE] = [100, 101];
const PAGE_BYTES = 4096;
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
/** The modifiers of times that read the time zone of the machine. */
const TIME_ZONE = /'\s*localtime\s*'|\b(?:date|time|datetime|julianday|strftime|unixepoch)\s*\([^)]*'\s*utc\s*'/i;
const ENCODER = new TextEncoder();

/** A SQLite database in the memory of this thread. Its statements reach nothing else, and their steps are bounded. */
export class SqlDatabase {
  readonly #sqlite: Sqlite;
  readonly #db: WasmPointer;
  readonly #handle: Database;
  /** The calls since the first mark that changed something. */
  readonly #calls: SqlCall[] = [];
  /** How many of those calls each mark has before it. */
  readonly #marks: number[] = [];
  /** The memory that the last call added at its highest, as far as looks between its steps saw it. */
  callBytes = 0;

  private constructor(sqlite: Sqlite, bytes?: Uint8Array) {
    const { api, calls } = sqlite;
    const { capi, wasm } = api;
    this.#sqlite = sqlite;
    const handle = new api.oo1.DB(':memory:', 'c');
    this.#handle = handle;
    const db = handle.pointer as WasmPointer;
    this.#db = db;
    if (bytes) {
      const copy = wasm.allocFromTypedArray(bytes);
      const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_RESIZEABLE;
      handle.checkRc(capi.sqlite3_deserialize(db, 'main', copy, bytes.length, bytes.length, flags));
    }
    handle.exec(
      `PRAGMA page_size = ${PAGE_BYTES}; PRAGMA foreign_keys = ON; PRAGMA max_page_count = ${MOST_DATABASE_BYTES / PAGE_BYTES}`,
    );
    for (const [limit, value] of limitsOf(capi)) calls.sqlite3_limit(db, limit, value);
    // Its own tables stay readable, whatever a statement writes.
    handle.checkRc(capi.sqlite3_db_config(db, capi.SQLITE_DBCONFIG_DEFENSIVE, 1, 0));
    sqlite.texts.register(db);
    calls.sqlite3_set_authorizer(db, sqlite.authorizer, 0);
    calls.sqlite3_progress_handler(db, STEPS_PER_LOOK, sqlite.progress, 0);
  }

  /** Opens an empty database. */
  static async open(): Promise<SqlDatabase> {
    return new SqlDatabase(await loadSqlite());
  }

  /** Opens a copy, which goes its own way. Not while a mark stands. */
  fork(): SqlDatabase {
    return new SqlDatabase(this.#sqlite, this.#sqlite.api.capi.sqlite3_js_db_export(this.#db));
  }

  /** Runs statements with the values of their named parameters; all of them, or none. Throws `SqlFailure`. */
  run(statements: readonly string[], sources: SqlSources, values: Fields = {}): SqlResult {
    return this.#runAll({ statements, values: [values], options: optionsOf(sources) });
  }

  /** Runs a statement with one set of values after the other; all of them, or none. Throws `SqlFailure`. */
  runEach(statement: string, sources: SqlSources, values: Iterable<Fields>): void {
    this.#runAll({ statements: [statement], values, options: optionsOf(sources) });
  }

  /** Compiles statements without running them; returns the names of their parameters. Throws `SqlFailure`. */
  compile(statements: readonly string[], sources: SqlSources): ReadonlySet<string> {
    const names = new Set<string>();
    const guard = new Guard({ ...optionsOf(sources), memoryUsed: this.#sqlite.memoryUsed });
    for (const sql of statements) {
      this.#each(sql, guard, (statement) => {
        for (const { name } of this.#parameters(statement)) names.add(name);
      });
    }
    return names;
  }

  mark(): void {
    this.#own('SAVEPOINT mark');
    this.#marks.push(this.#calls.length);
  }

  undo(): void {
    this.#own('ROLLBACK TO mark');
    this.#calls.length = this.#marks.at(-1) ?? 0;
  }

  release(): void {
    this.#own('RELEASE mark');
    this.#marks.pop();
    if (this.#marks.length === 0) this.#calls.length = 0;
  }

  close(): void {
    this.#handle.close();
  }

  #runAll(call: SqlCall): SqlResult {
    this.#own('SAVEPOINT call');
    try {
      const { isWritten, ...made } = this.#runCall(call);
      this.#own('RELEASE call');
      if (isWritten && this.#marks.length > 0) this.#calls.push(call);
      return made;
    } catch (thrown) {
      this.#takeBack();
      throw thrown;
    }
  }

  #runCall({ statements, values, options }: SqlCall): SqlResult & { readonly isWritten: boolean } {
    const { calls, memoryUsed } = this.#sqlite;
    const guard = new Guard({ ...options, memoryUsed });
    this.callBytes = 0;
    calls.sqlite3_randomness(0, 0);
    calls.sqlite3_set_last_insert_rowid(this.#db, 0n);
    let changes = 0;
    let isWritten = false;
    let rows: SqlResult['rows'];
    for (const sql of statements) {
      this.#each(sql, guard, (statement) => {
        const isReading = calls.sqlite3_stmt_readonly(statement) !== 0;
        isWritten ||= !isReading;
        for (const one of values) {
          this.#bind(statement, one);
          const given = this.#rowsOf(statement);
          rows = given ?? rows;
          guard.lookAtMemory();
          this.callBytes = guard.memoryBytes;
          if (!isReading) changes += calls.sqlite3_changes(this.#db);
          calls.sqlite3_reset(statement);
        }
      });
    }
    // A deferred constraint would fail only where the last mark is released.
    if (this.#sqlite.hasDeferred(this.#db)) throw new SqlFailure('FOREIGN KEY constraint failed');
    return { rows, changes, isWritten };
  }

  /** Takes back the changes of a call. Some failures, such as a limit within a write, end all savepoints of SQLite. */
  #takeBack(): void {
    if (this.#sqlite.calls.sqlite3_get_autocommit(this.#db) === 0) {
      this.#own('ROLLBACK TO call; RELEASE call');
      return;
    }
    try {
      for (let at = 0; at <= this.#calls.length; at++) {
        for (const mark of this.#marks) if (mark === at) this.#own('SAVEPOINT mark');
        const call = this.#calls[at];
        if (call) this.#runCall(call);
      }
    } catch (thrown) {
      // A world with another state must not go on.
      this.close();
      throw thrown;
    }
  }

  /** Runs a statement of this class, which no guard watches. */
  #own(sql: string): void {
    this.#sqlite.guard = undefined;
    this.#handle.exec(sql);
  }

  /** Compiles the statements of a text one by one under a guard. */
  #each(sql: string, guard: Guard, use: (statement: WasmPointer) => void): void {
    const { api, calls, pointerAt } = this.#sqlite;
    const { wasm } = api;
    if (sql.includes('\0')) throw new SqlFailure('a statement contains a NUL character');
    if (TIME_ZONE.test(sql)) throw new SqlFailure('the local time is not allowed: it depends on the machine');
    const text = wasm.allocCString(sql, false);
    const pointers = wasm.alloc(8);
    this.#sqlite.guard = guard;
    try {
      for (let at = text; ; at = pointerAt(pointers + 4)) {
        this.#expect(calls.sqlite3_prepare_v3(this.#db, at, -1, 0, pointers, pointers + 4), 0);
        const statement = pointerAt(pointers);
        if (statement === 0) {
          // Blanks and comments compile to nothing.
          if (pointerAt(pointers + 4) === at || wasm.heap8u()[pointerAt(pointers + 4)] === 0) return;
          continue;
        }
        try {
          use(statement);
          // A time function without a time gives NULL and no error.
          if (guard.reason !== undefined) throw new SqlFailure(guard.reason, guard.isLate);
        } finally {
          calls.sqlite3_finalize(statement);
        }
      }
    } finally {
      this.#sqlite.guard = undefined;
      wasm.dealloc(pointers);
      wasm.dealloc(text);
    }
  }

  #expect(code: number, ...expected: readonly number[]): number {
    if (expected.includes(code)) return code;
    const { api, calls, guard } = this.#sqlite;
    const reason = guard?.reason ?? api.wasm.cstrToJs(calls.sqlite3_errmsg(this.#db)) ?? `error ${code}`;
    throw new SqlFailure(reason, guard?.isLate);
  }

  #parameters(statement: WasmPointer): readonly { readonly name: string; readonly at: number }[] {
    const { api, calls } = this.#sqlite;
    const count = calls.sqlite3_bind_parameter_count(statement);
    return Array.from({ length: count }, (_, index) => {
      const at = index + 1;
      const pointer = calls.sqlite3_bind_parameter_name(statement, at);
      const name = pointer === 0 ? '?' : (api.wasm.cstrToJs(pointer) ?? '?');
      if (name.startsWith('?')) throw new SqlFailure(`a parameter has no name: write :name in place of ${name}`);
      return { name: name.slice(1), at };
    });
  }

  #bind(statement: WasmPointer, values: Fields): void {
    for (const { name, at } of this.#parameters(statement)) {
      const value = Object.hasOwn(values, name) ? (values[name] as CellValue) : null;
      this.#expect(this.#bindValue(statement, at, value), 0);
    }
  }

  #bindValue(statement: WasmPointer, at: number, value: CellValue): number {
    const { calls } = this.#sqlite;
    if (value === null) return calls.sqlite3_bind_null(statement, at);
    if (typeof value === 'boolean') return calls.sqlite3_bind_int64(statement, at, value ? 1n : 0n);
    if (typeof value === 'bigint' || Number.isSafeInteger(value)) {
      const integer = BigInt(value as number | bigint);
      if (BigInt.asIntN(64, integer) !== integer) throw new SqlFailure(`${integer} is larger than a 64-bit integer`);
      return calls.sqlite3_bind_int64(statement, at, integer);
    }
    if (typeof value === 'number') return calls.sqlite3_bind_double(statement, at, value);
    if (value instanceof Float) return calls.sqlite3_bind_double(statement, at, value.value);
    return this.#bindText(statement, at, typeof value === 'string' ? value : stringifyJson(value));
  }

  #bindText(statement: WasmPointer, at: number, text: string): number {
    const { api, calls } = this.#sqlite;
    const { capi, wasm } = api;
    const bytes = ENCODER.encode(text);
    if (bytes.length > MOST_VALUE_BYTES) throw new SqlFailure(`a value is longer than ${MOST_VALUE_BYTES} bytes`);
    const copy = bytes.length === 0 ? wasm.alloc(1) : wasm.allocFromTypedArray(bytes);
    try {
      return calls.sqlite3_bind_text(statement, at, copy, bytes.length, capi.SQLITE_TRANSIENT);
    } finally {
      wasm.dealloc(copy);
    }
  }

  /** Runs a statement to its end; undefined for one without columns. */
  #rowsOf(statement: WasmPointer): Readonly<Record<string, CellValue>>[] | undefined {
    const { api, calls } = this.#sqlite;
    const count = calls.sqlite3_column_count(statement);
    const names = Array.from(
      { length: count },
      (_, at) => api.wasm.cstrToJs(calls.sqlite3_column_name(statement, at)) ?? '',
    );
    const rows: Readonly<Record<string, CellValue>>[] = [];
    let characters = 0;
    const ofNames = names.reduce((sum, name) => sum + name.length, 0);
    while (this.#expect(calls.sqlite3_step(statement), ROW, DONE) === ROW) {
      if (rows.length >= MOST_RESULT_ROWS) throw new SqlFailure(`the result has more than ${MOST_RESULT_ROWS} rows`);
      rows.push(Object.fromEntries(names.map((name, at) => [name, this.#valueAt(statement, at)])));
      characters += ofNames;
      for (let at = 0; at < count; at++) characters += calls.sqlite3_column_bytes(statement, at);
      if (characters > MOST_RESULT_CHARACTERS) {
        throw new SqlFailure(`the result is longer than ${MOST_RESULT_CHARACTERS} characters`);
      }
    }
    return count === 0 ? undefined : rows;
  }

  #valueAt(statement: WasmPointer, at: number): CellValue {
    const { calls } = this.#sqlite;
    switch (calls.sqlite3_column_type(statement, at)) {
      case INTEGER: {
        const value = calls.sqlite3_column_int64(statement, at);
        return Number.isSafeInteger(Number(value)) ? Number(value) : value;
      }
      case REAL: {
        const value = calls.sqlite3_column_double(statement, at);
        if (!Number.isFinite(value)) return String(value);
        return Number.isInteger(value) ? new Float(value) : value;
      }
      case TEXT:
        return UTF8.decode(this.#bytesAt(calls.sqlite3_column_text(statement, at), statement, at));
      case BLOB:
        return {
          base64: Buffer.from(this.#bytesAt(calls.sqlite3_column_blob(statement, at), statement, at)).toString(
            'base64',
          ),
        };
      default:
        return null;
    }
  }

  #bytesAt(pointer: WasmPointer, statement: WasmPointer, at: number): Uint8Array {
    const { api, calls } = this.#sqlite;
    return api.wasm.heap8u().slice(pointer, pointer + calls.sqlite3_column_bytes(statement, at));
  }
}

function optionsOf({ random, ...options }: SqlSources): SqlCall['options'] {
  return { ...options, seed: [random.bits(), random.bits()] };
}

function limitsOf(capi: Sqlite['api']['capi']): readonly (readonly [number, number])[] {
  return [
    [capi.SQLITE_LIMIT_LENGTH, MOST_VALUE_BYTES],
    [capi.SQLITE_LIMIT_SQL_LENGTH, MOST_VALUE_BYTES],
    [capi.SQLITE_LIMIT_EXPR_DEPTH, 100],
    [capi.SQLITE_LIMIT_COMPOUND_SELECT, 100],
    [capi.SQLITE_LIMIT_COLUMN, 200],
    [capi.SQLITE_LIMIT_ATTACHED, 0],
    // A longer pattern of LIKE can take time beyond measure within one step.
    [capi.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200],
    [capi.SQLITE_LIMIT_TRIGGER_DEPTH, 50],
  ];
}

/** A name as SQL quotes it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
