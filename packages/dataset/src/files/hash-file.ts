import type { Hash } from 'node:crypto';
import { open } from 'node:fs/promises';

const MIN_CHUNK_BYTES = 4096;
const MAX_CHUNK_BYTES = 1_048_576;

/** Adds the content of a file to a hash, at most a megabyte in memory; rejects with the error of the file system. */
export async function hashFile(hash: Hash, path: string | URL, signal?: AbortSignal): Promise<Hash> {
  signal?.throwIfAborted();
  await using file = await open(path);
  const { size } = await file.stat();
  // A buffer of a megabyte for each small file costs ten times its reading: the garbage collector releases each one.
  const chunk = Buffer.allocUnsafe(Math.min(Math.max(size, MIN_CHUNK_BYTES), MAX_CHUNK_BYTES));
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return hash;
    hash.update(chunk.subarray(0, bytesRead));
  }
}
