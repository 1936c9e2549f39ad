import { crc32 } from 'node:zlib';
import type { JournalEntry } from '@data-designer/core';

/**
 * The journal's form: a mark, then frames of `length` and `crc32` (32 bit, little endian) and a payload, which is one
 * JSON line (row, column, call, request, status, headers) and the body after it.
 */
const MARK = Buffer.from('ddj1');
const HEAD_BYTES = 8;
const NEWLINE = 0x0a;

/** The bytes that an empty journal starts with. */
export function journalMark(): Buffer {
  return MARK;
}

/** One entry as a frame. */
export function encodeEntry({ row, column, call, request, status, headers, body }: JournalEntry): Buffer {
  const payload = `${JSON.stringify([row, column, call, request, status, headers])}\n${body}`;
  const length = Buffer.byteLength(payload);
  const frame = Buffer.allocUnsafe(HEAD_BYTES + length);
  frame.write(payload, HEAD_BYTES, 'utf8');
  frame.writeUInt32LE(length, 0);
  frame.writeUInt32LE(crc32(frame.subarray(HEAD_BYTES)), 4);
  return frame;
}

/** The entries of a journal, and how many of its bytes are whole: what follows is a torn tail, to be cut. */
export function decodeJournal(bytes: Buffer): { entries: JournalEntry[]; wholeBytes: number } {
  const entries: JournalEntry[] = [];
  if (!bytes.subarray(0, MARK.length).equals(MARK)) return { entries, wholeBytes: 0 };
  let offset = MARK.length;
  while (offset + HEAD_BYTES <= bytes.length) {
    const end = offset + HEAD_BYTES + bytes.readUInt32LE(offset);
    const payload = bytes.subarray(offset + HEAD_BYTES, end);
    if (end > bytes.length || crc32(payload) !== bytes.readUInt32LE(offset + 4)) break;
    entries.push(decodePayload(payload));
    offset = end;
  }
  return { entries, wholeBytes: offset };
}

function decodePayload(payload: Buffer): JournalEntry {
  const split = payload.indexOf(NEWLINE);
  const [row, column, call, request, status, headers] = JSON.parse(payload.toString('utf8', 0, split)) as [
    number,
    string,
    number,
    string,
    number,
    Record<string, string>,
  ];
  return { row, column, call, request, status, headers, body: payload.toString('utf8', split + 1) };
}
