import { createHash, type Hash } from 'node:crypto';
import { hashFile } from '@data-designer/dataset';
import type { RemoteFile } from './hub-repository.ts';
import type { PlannedFile } from './plan-push.ts';

/** Batch files in a folder of their own, as both tools name them. */
const BATCH = /^[^/]+\/batch_\d+(?:-\d+)?\.(?:parquet|arrow)$/;
/** Images of a column, which both tools name by a hash or a UUID. */
const IMAGE = /^images\/[^/]+\/[0-9a-f]{8}[0-9a-f-]{8,}\.\w+$/;

/** The files that the Hub lacks, and the files of an earlier push that this one has no more. */
export async function compareFiles(
  planned: readonly PlannedFile[],
  remote: ReadonlyMap<string, RemoteFile>,
): Promise<{ readonly changed: readonly PlannedFile[]; readonly deleted: readonly string[] }> {
  const changed: PlannedFile[] = [];
  for (const file of planned) {
    const stored = remote.get(file.path);
    if (!stored || !(await isSame(file, stored))) changed.push(file);
  }
  const paths = new Set(planned.map(({ path }) => path));
  const deleted = [...remote.keys()].filter((path) => !paths.has(path) && (BATCH.test(path) || IMAGE.test(path)));
  return { changed, deleted: deleted.toSorted() };
}

/** The Hub lists the SHA-256 of a large file, and for a small one the hash that git gives it. */
async function isSame(file: PlannedFile, { bytes, hash, isLarge }: RemoteFile): Promise<boolean> {
  if (file.bytes !== bytes) return false;
  const digest = isLarge ? createHash('sha256') : createHash('sha1').update(`blob ${bytes}\0`);
  return (await hashOf(file, digest)) === hash;
}

async function hashOf({ content }: PlannedFile, digest: Hash): Promise<string> {
  if (content instanceof Blob) return digest.update(new Uint8Array(await content.arrayBuffer())).digest('hex');
  return (await hashFile(digest, content)).digest('hex');
}
