import { createReadStream } from 'node:fs';
import { MAX_DEPTH } from './max-depth.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;

/** Where a scan stands between two pieces of a file. */
interface Scan {
  depth: number;
  inText: boolean;
  escaped: boolean;
}

/**
 * Whether lists and mappings of a JSON file stand more than `MAX_DEPTH` deep within each other, which DuckDB does
 * not survive. Reads the whole file, a piece at a time; it need not be valid.
 */
export async function isJsonTooDeep(file: string): Promise<boolean> {
  const scan: Scan = { depth: 0, inText: false, escaped: false };
  for await (const piece of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    if (goesTooDeep(piece as Buffer, scan)) return true;
  }
  return false;
}

function goesTooDeep(piece: Buffer, scan: Scan): boolean {
  let { depth, inText, escaped } = scan;
  // An index: iterating over a buffer takes five times as long.
  for (let index = 0; index < piece.length; index++) {
    const byte = piece[index];
    // No text goes on over a line's end: from there on a file with a torn line is read rightly again.
    if (byte === LINE_FEED) inText = escaped = false;
    else if (escaped) escaped = false;
    else if (byte === QUOTE) inText = !inText;
    else if (inText) escaped = byte === BACKSLASH;
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth = Math.max(0, depth - 1);
  }
  Object.assign(scan, { depth, inText, escaped });
  return false;
}
