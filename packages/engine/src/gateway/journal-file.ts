import { crc32 } from 'node:zlib';
import type { CallPath, JournalEntry, Tries } from '@data-designer/core';

/** An entry, and of whom it was asked what: what it cost depends on that. */
export interface JournalRecord extends JournalEntry {
  readonly resource: string;
  readonly path: CallPath;
}

/**
 * The journal's form: a mark, then frames of `length` and `crc32` (32 bit, little endian) and a payload, which is one
 * JSON line (row, column, call, request, status, headers, resource, path, and the tries where there were several) and
 * the body after it.
 */
const MARK = Buffer.from('ddj1');
const HEAD_BYTES = 8;
const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);
/** A unit of a JavaScript string takes at most so many bytes in UTF-8. */
const MOST_BYTES_A_UNIT = 3;
const FIRST_BYTES = 16_384;
const KEPT_BYTES = 262_144;

/** The bytes that an empty journal starts with. */
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
    if (tries) head.push([tries.requests, tries.refused, tries.possiblyPaid]);
    const line = `${JSON.stringify(head)}\n`;
    this.#makeRoom(HEAD_BYTES + (line.length + body.length) * MOST_BYTES_A_UNIT);
    const bytes = this.#bytes;
    const start = this.#length + HEAD_BYTES;
    let end = start + bytes.write(line, start);
    end += bytes.write(body, end);
    bytes.writeUInt32LE(end - start, this.#length);
    bytes.writeUInt32LE(crc32(bytes.subarray(start, end)), this.#length + 4);
    this.#length = end;
  }

  /** Forgets what was written. A buffer that one large answer has needed is not kept for small ones. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = NOTHING;
  }

  #makeRoom(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#length * 2, FIRST_BYTES));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** The entries of a journal, and how many of its bytes are whole: what follows is a torn tail, to be cut. */
export function decodeJournal(bytes: Buffer): { entries: JournalRecord[]; wholeBytes: number } {
  const entries: JournalRecord[] = [];
  if (!bytes.subarray(0, MARK.length).equals(MARK)) return { entries, wholeBytes: 0 };
  let offset = MARK.length;
  while (offset + HEAD_BYTES <= bytes.length) {
    const length = bytes.readUInt32LE(offset);
    const end = offset + HEAD_BYTES + length;
    const payload = bytes.subarray(offset + HEAD_BYTES, end);
    // A power cut may leave zeros, and the checksum of nothing is zero.
    if (length === 0 || end > bytes.length || crc32(payload) !== bytes.readUInt32LE(offset + 4)) break;
    entries.push(decodePayload(payload));
    offset = end;
  }
  return { entries, wholeBytes: offset };
}

type Head = [
  number,
  string,
  number,
  string,
  number,
  Record<string, string>,
  string?,
  CallPath?,
  [number, number, number]?,
];

function decodePayload(payload: Buffer): JournalRecord {
  const split = payload.indexOf(NEWLINE);
  const head = JSON.parse(payload.toString('utf8', 0, split)) as Head;
  // Journals of older versions do not say whom was asked.
  const [row, column, call, request, status, headers, resource = '', path = 'chat/completions', tries] = head;
  const body = payload.toString('utf8', split + 1);
  const record = { row, column, call, request, status, headers, body, resource, path };
  return tries ? { ...record, tries: readTries(tries) } : record;
}

function readTries([requests, refused, possiblyPaid]: readonly [number, number, number]): Tries {
  return { requests, refused, possiblyPaid };
}
