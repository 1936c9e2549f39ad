import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import * as zlib from 'node:zlib';

/** The end of the name of a packed file. */
export const PACKED = /\.(?:gz|zst)$/i;

const CHUNK_BYTES = 256 * 1024;

/** The first bytes of a file, unpacked if its name ends in `.gz` or `.zst`, and whether they are all. */
export async function readHead(path: string, maxBytes: number): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const whole = await smallFile(path);
  if (whole) return { bytes: whole.subarray(0, maxBytes), isWhole: whole.length <= maxBytes };
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of unpackedPieces(path)) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: size <= maxBytes };
}

/** The content of a file that is smaller than a chunk and not packed: the stream of each of thousands of files costs more. */
export async function smallFile(path: string): Promise<Buffer | undefined> {
  const { size } = await stat(path);
  if (size >= CHUNK_BYTES || PACKED.test(path)) return undefined;
  return firstBytes(path, size + 1);
}

/** At most so many first bytes of a file, read at once. */
export function firstBytes(path: string, most: number): Buffer {
  const bytes = Buffer.allocUnsafe(most);
  const descriptor = openSync(path, 'r');
  try {
    let length = 0;
    // A network file system may give less than is there.
    for (let read = -1; read !== 0 && length < most; length += read)
      read = readSync(descriptor, bytes, { offset: length });
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

/** The content of a file in pieces, unpacked by the suffix of its name. A piece is overwritten by the next one. */
export async function* unpackedPieces(path: string): AsyncGenerator<Buffer> {
  const unpack = unpackerOf(path);
  if (unpack) {
    // The stream that is read reports the error.
    yield* pipeline(createReadStream(path, { highWaterMark: CHUNK_BYTES }), unpack, () => undefined);
    return;
  }
  await using file = await open(path);
  const piece = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(piece, 0, piece.length);
    if (bytesRead === 0) return;
    yield piece.subarray(0, bytesRead);
  }
}

function unpackerOf(path: string) {
  if (/\.gz$/i.test(path)) return createGunzip();
  if (!/\.zst$/i.test(path)) return undefined;
  // Node.js has zstd from 22.15 on.
  if (!('createZstdDecompress' in zlib)) throw new Error('a .zst file needs Node.js 22.15 or newer');
  return zlib.createZstdDecompress();
}
