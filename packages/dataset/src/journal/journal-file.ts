import zlib from 'node:zlib';
import {
  type CallPath,
  DataDesignerError,
  type FailedCell,
  type JournalEntry,
  type Tries,
  type WireFailure,
} from '@data-designer/core';

/** A journal entry with the resource and path of its request, on which its cost depends. */
export interface JournalRecord extends JournalEntry {
  readonly resource: string;
  readonly path: CallPath;
}

/** A cell of a row group. */
export type CellPlace = Pick<FailedCell, 'row' | 'column'>;

/** The key of a cell within a row group. */
export function placeKey({ row, column }: CellPlace): string {
  return `${row}/${column}`;
}

/** The content of a journal in the order of writing. */
export interface JournalContent {
  readonly entries: readonly JournalRecord[];
  readonly failedCells: readonly FailedCell[];
}

/**
 * The version of a journal file. The file has a mark, then frames of `length` and `crc32` (32 bits, little endian) and a
 * payload: one JSON line and a body. The line of an outcome is [row, column, call, request, status, headers, resource, path],
 * followed by the tries if there were several; that of a failed cell is ["failed-cell", row, column, attempt?], with the
 * failure as JSON in the body. After ["ask-anew", row, column], the entries of that cell in earlier files do not count.
 */
const VERSION = 1;
/** The version of before 1.0.0, which a later format does not reuse. */
const DEVELOPMENT_VERSION = 2;
const MARK = Buffer.from(`ddj${VERSION}`);
const ANY_MARK = /^ddj([1-9])$/;
const FAILED_CELL = 'failed-cell';
const ASK_ANEW = 'ask-anew';
const HEAD_BYTES = 8;
const NEWLINE = 0x0a;
const EMPTY = Buffer.alloc(0);
/** How much of a file is decoded at once; a longer frame is read whole. */
const PART_BYTES = 8 * 1024 * 1024;
/** Node reads at most this much at once; no text has more. */
const MOST_BYTES = 2 ** 31 - 1;
/** Longer bodies stay bytes until they are used: as texts, the answers of a row group could take more than the heap has. */
const LONG_BYTES = 10_000;
/** A code unit of a JavaScript string takes at most this many bytes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;
const INITIAL_BYTES = 16_384;
const MAX_KEPT_BYTES = 262_144;

/** The bytes of an empty journal file. */
export function journalMark(): Buffer {
  return MARK;
}

/** Gathers frames for one write. Encodes them in place: a buffer per frame would cost as much as the encoding. */
export class FrameBuffer {
  #bytes = EMPTY;
  #length = 0;

  /** The gathered bytes; valid until the next `add`. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Adds one entry as a frame. */
  add(entry: JournalRecord): void {
    const { row, column, call, request, status, headers, body, resource, path, tries } = entry;
    const head: unknown[] = [row, column, call, request, status, headers, resource, path];
    if (tries) head.push(writeTries(tries));
    this.#addFrame(head, body);
  }

  /** Adds one failed cell as a frame. */
  addFailedCell({ row, column, attempt, failure }: FailedCell): void {
    const at = attempt === undefined ? [row, column] : [row, column, attempt];
    this.#addFrame([FAILED_CELL, ...at], JSON.stringify(failure));
  }

  /** Adds a cell whose earlier entries do not count any more. */
  addAskAnew({ row, column }: CellPlace): void {
    this.#addFrame([ASK_ANEW, row, column], '');
  }

  /** Empties the buffer; releases one that a large answer has grown. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#bytes = EMPTY;
  }

  #addFrame(head: readonly unknown[], body: string): void {
    const line = `${JSON.stringify(head)}\n`;
    this.#makeRoom(HEAD_BYTES + (line.length + body.length) * MAX_BYTES_PER_UNIT);
    const bytes = this.#bytes;
    const start = this.#length + HEAD_BYTES;
    let end = start + bytes.write(line, start);
    end += bytes.write(body, end);
    bytes.writeUInt32LE(end - start, this.#length);
    bytes.writeUInt32LE(zlib.crc32(bytes.subarray(start, end)), this.#length + 4);
    this.#length = end;
  }

  #makeRoom(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#length * 2, INITIAL_BYTES));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/**
 * Decodes a journal file part by part, up to its first incomplete frame: a file may have more than the 2 GiB that Node reads at
 * once. The caller reads `wanted` bytes from `at` on, and passes them to `take`, until that returns false or the file ends.
 */
export class JournalReader implements JournalContent {
  readonly entries: JournalRecord[] = [];
  readonly failedCells: FailedCell[] = [];
  /** The cells whose entries in earlier files do not count. */
  readonly anew: CellPlace[] = [];
  readonly #path: string;
  /** Where the next part begins. */
  at: number;
  /** The length of the next part. */
  wanted = PART_BYTES;

  /** Begins at the start of the file, or where an earlier reader has ended. */
  constructor(path: string, at = 0) {
    this.#path = path;
    this.at = at;
  }

  /** Decodes the whole frames of a part; returns whether further ones may follow. Throws `dataset/other-version`. */
  take(part: Buffer): boolean {
    if (this.at === 0 && !isJournal(this.#path, part)) return false;
    let end = this.at === 0 ? MARK.length : 0;
    for (const { head, body, next } of framesOf(part, end)) {
      if (head[0] === FAILED_CELL) this.failedCells.push(readFailedCell(head, body));
      else if (head[0] === ASK_ANEW) this.anew.push({ row: head[1], column: head[2] });
      else this.entries.push(readRecord(head, body));
      end = next;
    }
    const needed = part.length < HEAD_BYTES ? 0 : HEAD_BYTES + part.readUInt32LE(0);
    // Else the frame is not complete yet, or torn.
    const mayFollow = end > 0 || (needed > this.wanted && needed <= MOST_BYTES);
    this.wanted = end > 0 ? PART_BYTES : needed;
    this.at += end;
    return mayFollow;
  }
}

/** Whether a file has a mark; a crash may have interrupted its writing. */
function isJournal(path: string, bytes: Buffer): boolean {
  const digit = ANY_MARK.exec(bytes.toString('latin1', 0, MARK.length))?.[1];
  const version = Number(digit ?? 0);
  if (version > 0 && version !== VERSION) {
    const isOfDevelopment = version === DEVELOPMENT_VERSION;
    throw new DataDesignerError('dataset/other-version', { path, version, known: VERSION, isOfDevelopment });
  }
  return version > 0;
}

type Head = RecordHead | FailedCellHead | AskAnewHead;
type AskAnewHead = [kind: typeof ASK_ANEW, row: number, column: string];
type FailedCellHead = [kind: typeof FAILED_CELL, row: number, column: string, attempt?: number];
type RecordHead = [
  row: number,
  column: string,
  call: number,
  request: string,
  status: number,
  headers: Record<string, string>,
  resource: string,
  path: CallPath,
  tries?: WrittenTries,
];

function* framesOf(bytes: Buffer, from: number): Generator<{ head: Head; body: Buffer; next: number }> {
  for (let offset = from; offset + HEAD_BYTES <= bytes.length;) {
    const length = bytes.readUInt32LE(offset);
    const end = offset + HEAD_BYTES + length;
    const payload = bytes.subarray(offset + HEAD_BYTES, end);
    // A power cut may leave zeros, and the checksum of nothing is zero.
    if (length === 0 || end > bytes.length || zlib.crc32(payload) !== bytes.readUInt32LE(offset + 4)) return;
    const split = payload.indexOf(NEWLINE);
    yield {
      head: JSON.parse(payload.toString('utf8', 0, split)) as Head,
      body: payload.subarray(split + 1),
      next: end,
    };
    offset = end;
  }
}

function readRecord(head: RecordHead, body: Buffer): JournalRecord {
  const [row, column, call, request, status, headers, resource, path, written] = head;
  const known = { row, column, call, request, status, headers, resource, path };
  const tries = written && { tries: readTries(written) };
  if (body.length <= LONG_BYTES) return { ...known, body: String(body), ...tries };
  return {
    ...known,
    get body() {
      return String(body);
    },
    ...tries,
  };
}

function readFailedCell([, row, column, attempt]: FailedCellHead, body: Buffer): FailedCell {
  const failure = JSON.parse(String(body)) as WireFailure;
  return attempt === undefined ? { row, column, failure } : { row, column, attempt, failure };
}

type Three = readonly [number, number, number];
/** The counts of requests, and of tokens spent without an answer: input, cached input and output. */
type WrittenTries = Three | readonly [...Three, ...Three];

function writeTries({ requests, refused, possiblyPaid, spent }: Tries): WrittenTries {
  const counts = [requests, refused, possiblyPaid] as const;
  return spent ? [...counts, spent.input, spent.cachedInput, spent.output] : counts;
}

function readTries([requests, refused, possiblyPaid, input, cachedInput, output]: WrittenTries): Tries {
  const tries = { requests, refused, possiblyPaid };
  if (input === undefined || cachedInput === undefined || output === undefined) return tries;
  return { ...tries, spent: { input, cachedInput, output } };
}
