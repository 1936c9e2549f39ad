import { type AsyncBuffer, asyncBufferFromFile } from 'hyparquet';

const MAGIC = 'PAR1';

/** A Parquet file on disk, to be read piece by piece; rejects, saying why, where it does not end as one. */
export async function parquetFile(path: string): Promise<AsyncBuffer> {
  const file = await asyncBufferFromFile(path);
  const { byteLength } = file;
  if (byteLength === 0) throw new Error('it is empty');
  const end = await file.slice(Math.max(0, byteLength - MAGIC.length), byteLength);
  if (Buffer.from(end).toString('latin1') === MAGIC) return file;
  throw new Error('it is cut off, or no Parquet file: its end is not that of one');
}
