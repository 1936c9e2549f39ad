import * as zlib from 'node:zlib';
import type { Compressors as Decompressors } from 'hyparquet';
import type { ParquetWriteOptions } from 'hyparquet-writer';

// Node 22.12 has no zstd; a named import of it would not even link there.
const zstd: Partial<Pick<typeof zlib, 'zstdCompressSync' | 'zstdDecompressSync'>> = zlib;

/** How written pages are compressed. */
export interface PageCodec {
  readonly codec: 'ZSTD' | 'SNAPPY';
  readonly compressors?: NonNullable<ParquetWriteOptions['compressors']>;
}

/** The codec of written pages: zstd if this Node has it (22.15), else Snappy. */
export function pageCodec(): PageCodec {
  const compress = zstd.zstdCompressSync;
  if (compress === undefined) return { codec: 'SNAPPY' };
  return { codec: 'ZSTD', compressors: { ZSTD: (page) => compress(page) } };
}

/** The decompressors of read pages: zstd, gzip and brotli from node:zlib; the reader has its own Snappy. */
export const pageDecompressors: Decompressors = {
  GZIP: (page, bytes) => zlib.gunzipSync(page, inOnePiece(bytes)),
  BROTLI: (page, bytes) => zlib.brotliDecompressSync(page, inOnePiece(bytes)),
  ZSTD: (page, bytes) => {
    if (zstd.zstdDecompressSync === undefined) throw new Error('its zstd compression needs Node 22.15 or newer');
    return zstd.zstdDecompressSync(page, inOnePiece(bytes));
  },
};

/** The least and the largest piece; a damaged file may tell any size. */
const [MIN_BYTES, MAX_BYTES] = [64, 256 * 1024 * 1024];

/** Decompresses a page of known size into one piece of memory: pieces of 16 kB take half as long again for large pages. */
function inOnePiece(bytes: number): { readonly chunkSize: number } {
  // With room left, the end is found without a second piece.
  return { chunkSize: Math.min(Math.max(bytes + 1, MIN_BYTES), MAX_BYTES) };
}
