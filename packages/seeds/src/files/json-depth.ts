import { smallFile, unpackedPieces } from './read-head.ts';

/** Deepest nesting of lists and mappings in a seed file: beyond any real table, within DuckDB's stack. */
export const MAX_DEPTH = 200;

/** The reason for which a deeper file is refused. */
export const TOO_DEEP = `it has lists or mappings nested more than ${MAX_DEPTH} levels deep`;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;

/** The state of a scan between two chunks of a file. */
interface Scan {
  depth: number;
  inText: boolean;
  escaped: boolean;
}

/** Whether a JSON file, valid or not, nests values deeper than `MAX_DEPTH`, which crashes DuckDB. */
export async function isJsonTooDeep(file: string): Promise<boolean> {
  const scan: Scan = { depth: 0, inText: false, escaped: false };
  const bytes = await smallFile(file);
  if (bytes) return goesTooDeep(bytes, scan);
  for await (const chunk of unpackedPieces(file)) {
    if (goesTooDeep(chunk, scan)) return true;
  }
  return false;
}

function goesTooDeep(chunk: Buffer, scan: Scan): boolean {
  let { depth, inText, escaped } = scan;
  // A loop by index is five times as fast as iterating over the buffer.
  for (let index = 0; index < chunk.length; index++) {
    const byte = chunk[index];
    // JSON text never spans lines: the scan recovers after a torn line.
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
