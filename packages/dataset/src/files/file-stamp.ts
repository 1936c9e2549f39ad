import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';

/** The size and time of a file: while they are the same, so is its content. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
}

/** The stamp of a file; rejects with the error of the file system. */
export async function fileStamp(path: string): Promise<FileStamp> {
  const { size, mtimeMs } = await stat(path);
  return { size, mtimeMs };
}

/** The stamp of a file as text; undefined where there is none. */
export async function stampText(path: string): Promise<string | undefined> {
  return fileStamp(path).then(
    ({ size, mtimeMs }) => `${size} ${mtimeMs}`,
    () => undefined,
  );
}

/** A hash of the names, sizes and nanoseconds of files, of which a missing one has none. Workflows store it. */
export async function stampOfFiles(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) {
    const facts = await stat(path, { bigint: true }).catch(() => undefined);
    hash.update(`${basename(path)} ${facts?.size ?? ''} ${facts?.mtimeNs ?? ''}\n`);
  }
  return hash.digest('hex');
}
