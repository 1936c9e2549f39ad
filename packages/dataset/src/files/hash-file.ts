import type { Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';

const CHUNK_BYTES = 1_048_576;

/** Adds the content of a file to a hash, a megabyte in memory at a time; rejects with the error of the file system. */
export async function hashFile(hash: Hash, path: string | URL, signal?: AbortSignal): Promise<Hash> {
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: CHUNK_BYTES, signal });
  for await (const chunk of chunks) hash.update(chunk);
  return hash;
}
