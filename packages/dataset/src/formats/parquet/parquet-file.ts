import { readFile, stat } from 'node:fs/promises';
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type FileMetaData,
  type MetadataOptions,
  parquetMetadataAsync,
} from 'hyparquet';

const MAGIC = 'PAR1';

/** The bytes at the end of a file that are read first; the reader's default of 512 kB per file adds up. */
const END_BYTES = 64 * 1024;

/** A file of at most this size is read at once where all its rows are. */
const SMALL_BYTES = 2 * 1024 * 1024;

/**
 * Opens a Parquet file for reading in pieces, or whole if it is small and `isWhole`: each piece opens the file anew. Rejects
 * with the reason if it does not end with the magic bytes.
 */
export async function parquetFile(path: string, { isWhole = false } = {}): Promise<AsyncBuffer> {
  const isRead = isWhole && (await stat(path)).size <= SMALL_BYTES;
  const file = isRead ? inMemory(await readFile(path)) : await asyncBufferFromFile(path);
  const { byteLength } = file;
  if (byteLength === 0) throw new Error('it is empty');
  const end = await file.slice(Math.max(0, byteLength - MAGIC.length), byteLength);
  if (Buffer.from(end).toString('latin1') === MAGIC) return file;
  throw new Error('it is truncated, or not a Parquet file');
}

function inMemory({ buffer, byteOffset, byteLength }: Buffer<ArrayBuffer>): AsyncBuffer {
  return {
    byteLength,
    slice: (start, end = byteLength) => buffer.slice(byteOffset + start, byteOffset + end),
  };
}

/** The footer of a Parquet file: schema, row groups, key-value metadata. */
export function parquetMetadata(file: AsyncBuffer, options: MetadataOptions = {}): Promise<FileMetaData> {
  return parquetMetadataAsync(file, { ...options, initialFetchSize: END_BYTES });
}
