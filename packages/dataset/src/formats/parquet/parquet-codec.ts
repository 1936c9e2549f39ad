import * as zlib from 'node:zlib';
import type { Compressors as Decompressors } from 'hyparquet';
import type { ParquetWriteOptions } from 'hyparquet-writer';

// Node 22.12 has no zstd; a named import of it would not even link there.
const zstd: Partial<Pick<typeof zlib, 'zstdCompressSync' | 'zstdDecompressSync'>> = zlib;

/** The codec of written pages: zstd if this Node has it (22.15), else Snappy. */
export function pageCodec(): {
  codec: 'ZSTD' | 'SNAPPY';
  compressors: NonNullable<ParquetWriteOptions['compressors']>;
} {
  const compress = zstd.zstdCompressSync;
  if (compress === undefined) return { codec: 'SNAPPY', compressors: {} };
  return { codec: 'ZSTD', compressors: { ZSTD: (page) => compress(page) } };
}

/** The decompressors of read pages: zstd, gzip and brotli from node:zlib; the reader has its own Snappy. */
export const pageDecompressors: Decompressors = {
  GZIP: (page) => zlib.gunzipSync(page),
  BROTLI: (page) => zlib.brotliDecompressSync(page),
  ZSTD: (page) => {
    if (zstd.zstdDecompressSync === undefined) throw new Error('its zstd compression needs Node 22.15 or newer');
    return zstd.zstdDecompressSync(page);
  },
};
