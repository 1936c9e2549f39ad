import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type FileMetaData,
  type MetadataOptions,
  parquetMetadataAsync,
} from 'hyparquet';

const MAGIC = 'PAR1';

/** So much of the end of a file is read first, where its metadata is: the reader's own 512 kB a file add up. */
const END_BYTES = 64 * 1024;

/** A Parquet file on disk, to be read piece by piece; rejects, saying why, where it does not end as one. */
export async function parquetFile(path: string): Promise<AsyncBuffer> {
  const file = await asyncBufferFromFile(path);
  const { byteLength } = file;
  if (byteLength === 0) throw new Error('it is empty');
  const end = await file.slice(Math.max(0, byteLength - MAGIC.length), byteLength);
  if (Buffer.from(end).toString('latin1') === MAGIC) return file;
  throw new Error('it is cut off, or no Parquet file: its end is not that of one');
}

/** What stands at the end of a Parquet file: its schema, its row groups, its marks. */
export function parquetMetadata(file: AsyncBuffer, options: MetadataOptions = {}): Promise<FileMetaData> {
  return parquetMetadataAsync(file, { ...options, initialFetchSize: END_BYTES });
}
