import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CsvSigns } from './csv-records.ts';
import { unpackedPieces } from './read-head.ts';

const CR = 0x0d;
const LF = 0x0a;
const MARK_BYTES = 3;

/** Writes a CSV file again with one kind of line ends; those within quoted cells stay as they are. */
export async function writeEvenLines(file: string, copy: string, signs: CsvSigns): Promise<void> {
  async function* chunks(): AsyncGenerator<Buffer> {
    const scan = newScan(signs);
    for await (const chunk of unpackedPieces(file)) yield evened(chunk, scan);
    if (scan.isAfterCr) yield Buffer.of(LF);
  }
  await pipeline(Readable.from(chunks()), createWriteStream(copy, { mode: 0o600 }));
}

interface Scan {
  readonly quote: number;
  readonly escape: number;
  /** The last byte of the delimiter. */
  readonly delimiter: number;
  at: number;
  isQuoted: boolean;
  isEscaped: boolean;
  isCellStart: boolean;
  /** Whether the last byte closed a cell, so that a further quote belongs to it. */
  isClosed: boolean;
  isAfterCr: boolean;
}

function newScan({ quote, escape, delimiter }: CsvSigns): Scan {
  const [quoteByte, escapeByte, delimiterByte] = [quote, escape, delimiter].map(
    (sign) => Buffer.from(sign).at(-1) ?? -1,
  );
  return {
    quote: quoteByte ?? -1,
    escape: escapeByte ?? -1,
    delimiter: delimiterByte ?? -1,
    at: 0,
    isQuoted: false,
    isEscaped: false,
    isCellStart: true,
    isClosed: false,
    isAfterCr: false,
  };
}

function evened(chunk: Buffer, scan: Scan): Buffer {
  const out = Buffer.allocUnsafe(chunk.length + 1);
  let length = 0;
  for (const byte of chunk) {
    scan.at++;
    if (scan.isAfterCr) {
      scan.isAfterCr = false;
      out[length++] = LF;
      if (byte === LF) continue;
    }
    if (scan.isQuoted) scanQuoted(byte, scan);
    else if (byte === CR) {
      Object.assign(scan, { isAfterCr: true, isClosed: false, isCellStart: true });
      continue;
    } else scanBare(byte, scan);
    out[length++] = byte;
  }
  return out.subarray(0, length);
}

function scanQuoted(byte: number, scan: Scan): void {
  if (scan.isEscaped) scan.isEscaped = false;
  else if (byte === scan.escape && scan.escape !== scan.quote) scan.isEscaped = true;
  else if (byte === scan.quote) {
    scan.isQuoted = false;
    scan.isClosed = true;
  }
}

function scanBare(byte: number, scan: Scan): void {
  scan.isQuoted = byte === scan.quote && (scan.isCellStart || scan.isClosed);
  scan.isClosed = false;
  const isMark = scan.at <= MARK_BYTES && byte >= 0xbb;
  scan.isCellStart = byte === scan.delimiter || byte === LF || isMark;
}
