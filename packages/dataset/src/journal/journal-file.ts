import zlib from 'node:zlib';
import {
  type CallPath,
  DataDesignerError,
  type FailedCell,
  type JournalEntry,
  type Tries,
  type WireFailure,
} from '@data-designer/core';

/** An entry, and of whom it was asked what: what it cost depends on that. */
export interface JournalRecord extends JournalEntry {
  readonly resource: string;
  readonly path: CallPath;
}

/** What stands in the files of a journal, in the order in which it was written. */
export interface JournalContent {
  readonly entries: readonly JournalRecord[];
  readonly failedCells: readonly FailedCell[];
}

/**
 * A journal file: a mark, then frames of `length` and `crc32` (32 bit, little endian) and a payload, which is one JSON
 * line and a body after it. The line of an outcome is [row, column, call, request, status, headers, resource, path], and
 * the tries where there were several; that of a failed cell is ["failed-cell", row, column], its body the failure as JSON.
 * Version 1, of Data Designer 0.1, has outcomes alone.
 */
const VERSION = 2;
const MARK = Buffer.from(`ddj${VERSION}`);
const MARK_OF_ANY = /^ddj([1-9])$/;
const FAILED_CELL = 'failed-cell';
const HEAD_BYTES = 8;
const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);
/** A unit of a JavaScript string takes at most so many bytes in UTF-8. */
const MOST_BYTES_A_UNIT = 3;
const FIRST_BYTES = 16_384;
const KEPT_BYTES = 262_144;

/** The bytes that an empty journal file starts with. */
export function journalMark(): Buffer {
  return MARK;
}

/** Frames gathered to be written in one call. Encoded in place: a buffer for each would cost as much as the encoding. */
export class FrameBuffer {
  #bytes = NOTHING;
  #length = 0;

  /** What waits to be written; holds until the next `add`. */
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
  addFailedCell({ row, column, failure }: FailedCell): void {
    this.#addFrame([FAILED_CELL, row, column], JSON.stringify(failure));
  }

  /** Forgets what was written. A buffer that one large answer has needed is not kept for small ones. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = NOTHING;
  }

  #addFrame(head: readonly unknown[], body: string): void {
    const line = `${JSON.stringify(head)}\n`;
    this.#makeRoom(HEAD_BYTES + (line.length + body.length) * MOST_BYTES_A_UNIT);
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
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#length * 2, FIRST_BYTES));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/**
 * Reads the files of a journal, oldest first. Each is read up to its first frame that is not whole, which a power cut may
 * leave; one without a mark has nothing. Throws `dataset/newer-journal` for a file of a version that is not known here.
 */
export function decodeJournal(files: readonly { readonly path: string; readonly bytes: Buffer }[]): JournalContent {
  const entries: JournalRecord[] = [];
  const failedCells: FailedCell[] = [];
  for (const { path, bytes } of files) {
    if (!isJournal(path, bytes)) continue;
    for (const { head, body } of framesOf(bytes)) {
      if (head[0] === FAILED_CELL) failedCells.push(readFailedCell(head, body));
      else entries.push(readRecord(head, body));
    }
  }
  return { entries, failedCells };
}

/** Whether a file has a mark, which it has not where a crash came before that was whole. */
function isJournal(path: string, bytes: Buffer): boolean {
  const digit = MARK_OF_ANY.exec(bytes.toString('latin1', 0, MARK.length))?.[1];
  const version = Number(digit ?? 0);
  if (version > VERSION) throw new DataDesignerError('dataset/newer-journal', { path, version, known: VERSION });
  return version > 0;
}

type Head = RecordHead | FailedCellHead;
type FailedCellHead = [kind: typeof FAILED_CELL, row: number, column: string];
type RecordHead = [
  row: number,
  column: string,
  call: number,
  request: string,
  status: number,
  headers: Record<string, string>,
  resource?: string,
  path?: CallPath,
  tries?: WrittenTries,
];

function* framesOf(bytes: Buffer): Generator<{ head: Head; body: string }> {
  for (let offset = MARK.length; offset + HEAD_BYTES <= bytes.length;) {
    const length = bytes.readUInt32LE(offset);
    const end = offset + HEAD_BYTES + length;
    const payload = bytes.subarray(offset + HEAD_BYTES, end);
    // A power cut may leave zeros, and the checksum of nothing is zero.
    if (length === 0 || end > bytes.length || zlib.crc32(payload) !== bytes.readUInt32LE(offset + 4)) return;
    const split = payload.indexOf(NEWLINE);
    yield { head: JSON.parse(payload.toString('utf8', 0, split)) as Head, body: payload.toString('utf8', split + 1) };
    offset = end;
  }
}

function readRecord(head: RecordHead, body: string): JournalRecord {
  // Journals of older versions do not say whom was asked.
  const [row, column, call, request, status, headers, resource = '', path = 'chat/completions', tries] = head;
  const record = { row, column, call, request, status, headers, body, resource, path };
  return tries ? { ...record, tries: readTries(tries) } : record;
}

function readFailedCell([, row, column]: FailedCellHead, body: string): FailedCell {
  return { row, column, failure: JSON.parse(body) as WireFailure };
}

type Three = readonly [number, number, number];
/** The requests, and where tokens were spent without an answer: those read, cached and written. */
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
