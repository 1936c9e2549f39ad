import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { Compressors, SchemaTree } from 'hyparquet';
import { parquetBytes } from './parquet-footer.ts';

/** A column of moments whose nanoseconds DuckDB cuts. */
export interface CutColumn {
  readonly name: string;
  /** False if it may have some, because its compression cannot be read here. */
  readonly isSure: boolean;
}

/** Older versions of Node lack Zstandard. */
const COMPRESSORS: Compressors = {
  GZIP: (bytes) => gunzipSync(bytes),
  BROTLI: (bytes) => brotliDecompressSync(bytes),
  ...(typeof zstdDecompressSync === 'function' && { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) }),
};

/**
 * The first column of a Parquet file with moments that are no whole microseconds, where DuckDB reads microseconds: those with a
 * zone, and those in the old form of 96 bits.
 */
export async function cutNanoseconds(path: string): Promise<CutColumn | undefined> {
  const { parquetMetadataAsync, parquetRead, parquetSchema } = await import('hyparquet');
  const file = await parquetBytes(path);
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  for (const tree of parquetSchema(metadata).children.filter(holdsNanoseconds)) {
    const { name } = tree.element;
    let rowStart = 0;
    for (const group of metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows);
      let isCut = false;
      const timestampFromNanoseconds = (nanoseconds: bigint): bigint => {
        isCut ||= nanoseconds % 1000n !== 0n;
        return nanoseconds;
      };
      const how = { compressors: COMPRESSORS, parsers: { timestampFromNanoseconds } as never, onChunk: () => {} };
      try {
        await parquetRead({ file, metadata, columns: [name], rowStart, rowEnd, ...how });
      } catch (thrown) {
        if (!String(thrown).includes('unsupported compression')) throw thrown;
        return { name, isSure: false };
      }
      if (isCut) return { name, isSure: true };
      rowStart = rowEnd;
    }
  }
  return undefined;
}

function holdsNanoseconds({ element, children }: SchemaTree): boolean {
  const { type, logical_type: logical } = element;
  if (logical?.type === 'TIMESTAMP') return logical.unit === 'NANOS' && logical.isAdjustedToUTC;
  return type === 'INT96' || children.some(holdsNanoseconds);
}
