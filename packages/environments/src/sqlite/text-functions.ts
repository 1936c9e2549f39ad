import type { Sqlite3Static, WasmPointer } from '@sqlite.org/sqlite-wasm';
import { MOST_VALUE_BYTES } from './limits.ts';
import type { SqliteCalls } from './sqlite-calls.ts';

/**
 * Functions in place of those of SQLite that compare each part of a text with another text: with values of 1 MiB they take
 * minutes within one step, where no limit is looked at. These give the same results in linear time.
 */
export interface TextFunctions {
  /** Registers them for a database. */
  readonly register: (db: WasmPointer) => void;
}

const [BLOB, NULL] = [4, 5];
/** UTF-8, deterministic and harmless, as the functions that they replace. */
const FLAGS = 1 | 0x800 | 0x200000;
const SPACE = Buffer.from(' ');

/** A function: its arguments by number, and where its result goes. */
type TextFunction = (context: number, args: readonly number[]) => void;

/** What of SQLite they are made with. */
interface SqliteParts {
  readonly api: Sqlite3Static;
  readonly calls: SqliteCalls;
  readonly pointerAt: (address: WasmPointer) => WasmPointer;
}

/** Installs the functions, once per thread. */
export function installTextFunctions(sqlite: SqliteParts): TextFunctions {
  const { api, calls, pointerAt } = sqlite;
  const { wasm, capi } = api;
  const isNull = (value: number) => calls.sqlite3_value_type(value) === NULL;
  /** The bytes of values as texts; taken together, since memory moves where it grows. */
  const textsOf = (values: readonly number[]): readonly Buffer[] => {
    const places = values.map((value) => {
      const from = calls.sqlite3_value_text(value);
      return [from, calls.sqlite3_value_bytes(value)] as const;
    });
    const { buffer, byteOffset } = wasm.heap8u();
    return places.map(([from, length]) => Buffer.from(buffer, byteOffset + from, length));
  };
  const give = (context: number, text: Buffer): void => {
    if (text.length > MOST_VALUE_BYTES) return calls.sqlite3_result_error_toobig(context);
    // Memory may move where it grows, and a text may lie in it.
    const own = Uint8Array.from(text);
    const copy = own.length === 0 ? wasm.alloc(1) : wasm.allocFromTypedArray(own);
    calls.sqlite3_result_text(context, copy, text.length, capi.SQLITE_TRANSIENT);
    wasm.dealloc(copy);
  };

  const instr: TextFunction = (context, args) => {
    if (args.some(isNull)) return;
    const areBytes = args.every((value) => calls.sqlite3_value_type(value) === BLOB);
    // SQLite reads a blob beside a text as text, in a copy that leaves the blob one.
    const copies = areBytes ? [] : args.map((value) => calls.sqlite3_value_dup(value));
    const [text = SPACE, sought = SPACE] = areBytes ? bytesOf(args) : textsOf(copies);
    const at = areBytes ? searchFor(sought)(text, 0) : indexOfText(text, sought);
    const position = at < 0 ? 0 : areBytes ? at + 1 : charactersIn(text, at) + 1;
    for (const copy of copies) calls.sqlite3_value_free(copy);
    calls.sqlite3_result_int(context, position);
  };
  const bytesOf = (values: readonly number[]): readonly Buffer[] => {
    const places = values.map((value) => [calls.sqlite3_value_blob(value), calls.sqlite3_value_bytes(value)] as const);
    const { buffer, byteOffset } = wasm.heap8u();
    return places.map(([from, length]) => Buffer.from(buffer, byteOffset + from, length));
  };
  const replace: TextFunction = (context, args) => {
    if (args.slice(0, 2).some(isNull)) return;
    const [text = SPACE, sought = SPACE, by = SPACE] = textsOf(args);
    if (sought.length === 0 || sought[0] === 0) return give(context, text);
    if (!args.some(isNull)) give(context, replaced(text, sought, by));
  };
  const trim =
    (sides: { readonly start: boolean; readonly end: boolean }): TextFunction =>
    (context, args) => {
      if (args.some(isNull)) return;
      const [text = SPACE, characters = SPACE] = textsOf(args);
      give(context, trimmed(text, charactersOf(characters), sides));
    };

  const installed = (work: TextFunction) =>
    wasm.installFunction('v(pip)', (context: number, count: number, values: number) =>
      work(
        context,
        Array.from({ length: count }, (_, at) => pointerAt(values + 4 * at)),
      ),
    );
  const both = installed(trim({ start: true, end: true }));
  const start = installed(trim({ start: true, end: false }));
  const end = installed(trim({ start: false, end: true }));
  const functions = [
    ['instr', 2, installed(instr)],
    ['replace', 3, installed(replace)],
    ...[1, 2].flatMap((count) => [
      ['trim', count, both] as const,
      ['ltrim', count, start] as const,
      ['rtrim', count, end] as const,
    ]),
  ] as const;
  const named = functions.map(([name, count, pointer]) => [wasm.allocCString(name, false), count, pointer] as const);
  return {
    register: (db) => {
      for (const [name, count, pointer] of named)
        calls.sqlite3_create_function_v2(db, name, count, FLAGS, 0, pointer, 0, 0, 0);
    },
  };
}

function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The byte at which a text has another; matches begin where characters begin. */
function indexOfText(text: Buffer, sought: Buffer): number {
  if (isInside(sought[0])) return text.subarray(0, sought.length).equals(sought) ? 0 : -1;
  return searchFor(sought)(text, 0);
}

function charactersIn(text: Buffer, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at++) if (at === 0 || !isInside(text[at])) count++;
  return count;
}

/** Finds bytes in a text from a position on; -1 if they are not there. */
type Search = (text: Buffer, from: number) => number;

/** Up to this length the search of the platform compares a text with all of the bytes at each position at most. */
const SHORT_BYTES = 32;

/** The search for bytes, in linear time (Knuth, Morris and Pratt). */
function searchFor(sought: Buffer): Search {
  if (sought.length <= SHORT_BYTES) return (text, from) => text.indexOf(sought, from);
  // For each length: the longest beginning of the sought bytes with which so much of them ends.
  const borders = new Int32Array(sought.length + 1);
  for (let at = 1, border = 0; at < sought.length; at++) {
    while (border > 0 && sought[at] !== sought[border]) border = borders[border] ?? 0;
    if (sought[at] === sought[border]) border++;
    borders[at + 1] = border;
  }
  return (text, from) => {
    for (let at = from, matched = 0; at < text.length; at++) {
      while (matched > 0 && text[at] !== sought[matched]) matched = borders[matched] ?? 0;
      if (text[at] === sought[matched]) matched++;
      if (matched === sought.length) return at + 1 - matched;
    }
    return -1;
  };
}

/** A text with all of another replaced; as much as shows it if it is too long for a value. */
function replaced(text: Buffer, sought: Buffer, by: Buffer): Buffer {
  const search = searchFor(sought);
  const found: number[] = [];
  for (let at = search(text, 0); at >= 0; at = search(text, at + sought.length)) found.push(at);
  const length = text.length + found.length * (by.length - sought.length);
  if (length > MOST_VALUE_BYTES) return Buffer.alloc(MOST_VALUE_BYTES + 1);
  const made = Buffer.alloc(length);
  let [from, to] = [0, 0];
  for (const at of found) {
    to += text.copy(made, to, from, at);
    to += by.copy(made, to);
    from = at + sought.length;
  }
  text.copy(made, to, from);
  return made;
}

/** The characters of a text by their bytes. */
function charactersOf(text: Buffer): ReadonlySet<string> {
  const found = new Set<string>();
  // A NUL ends the characters, as it does in SQLite.
  for (let at = 0; at < text.length && text[at] !== 0;) {
    const from = at++;
    if ((text[from] ?? 0) >= 0xc0) while (isInside(text[at])) at++;
    found.add(text.toString('latin1', from, at));
  }
  return found;
}

function trimmed(
  text: Buffer,
  characters: ReadonlySet<string>,
  sides: { readonly start: boolean; readonly end: boolean },
): Buffer {
  const lengths = [...new Set([...characters].map(({ length }) => length))].toSorted((a, b) => a - b);
  let [start, end] = [0, text.length];
  const isCut = (from: number, to: number) =>
    from >= start && to <= end && characters.has(text.toString('latin1', from, to));
  const stepAtStart = () => lengths.find((length) => isCut(start, start + length)) ?? 0;
  const stepAtEnd = () => lengths.find((length) => isCut(end - length, end)) ?? 0;
  if (sides.start) for (let step = stepAtStart(); step > 0; step = stepAtStart()) start += step;
  if (sides.end) for (let step = stepAtEnd(); step > 0; step = stepAtEnd()) end -= step;
  return text.subarray(start, end);
}
