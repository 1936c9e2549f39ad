import type { AsyncBuffer, FileMetaData } from 'hyparquet';
import { smallFile } from './read-head.ts';

/** The bytes of a Parquet file; a small one is read at once. */
export async function parquetBytes(path: string): Promise<AsyncBuffer> {
  const bytes = await smallFile(path);
  if (!bytes) return (await import('hyparquet')).asyncBufferFromFile(path);
  const { buffer, byteOffset, byteLength } = bytes;
  return {
    byteLength,
    slice: (from, to = byteLength) =>
      Uint8Array.from(new Uint8Array(buffer, byteOffset, byteLength).subarray(from, to)).buffer,
  };
}

/** The footer of a Parquet file. */
export async function parquetFooter(path: string): Promise<FileMetaData> {
  const { parquetMetadataAsync } = await import('hyparquet');
  return parquetMetadataAsync(await parquetBytes(path), { geoparquet: false });
}
