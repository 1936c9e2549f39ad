import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ShownFile } from '@data-designer/core';

/** A longer text is shown by its hash. */
const MOST_TEXT_BYTES = 256 * 1024;
/** The texts of a folder together; what comes after is shown by its hash. */
const MOST_TEXT_IN_ALL = 4 * 1024 * 1024;
/** A larger file is shown by its size alone. */
const MOST_HASHED_BYTES = 64 * 1024 * 1024;
/** The files of a folder. */
const MOST_FILES = 10_000;

/** Writes files into an empty folder. Their paths are checked already: relative, and without `..`. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  }
}

/** The files of a folder by path, in the order of their paths. No link is followed. Throws where there are too many. */
export async function filesIn(folder: string): Promise<Readonly<Record<string, ShownFile>>> {
  const shown: [string, ShownFile][] = [];
  let textBytes = 0;
  for (const path of (await pathsIn(folder)).toSorted()) {
    const file = await showFile(join(folder, path), MOST_TEXT_IN_ALL - textBytes);
    if (file === undefined) continue;
    if (typeof file === 'string') textBytes += Buffer.byteLength(file);
    shown.push([path, file]);
  }
  return Object.fromEntries(shown);
}

/** The paths of what is in a folder and is no folder, with `/` between their names. */
async function pathsIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  const left = [''];
  for (let inner = left.pop(); inner !== undefined; inner = left.pop()) {
    for (const entry of await readdir(join(folder, inner), { withFileTypes: true })) {
      const path = inner === '' ? entry.name : `${inner}/${entry.name}`;
      if (entry.isDirectory()) left.push(path);
      else found.push(path);
      if (found.length + left.length > MOST_FILES) throw new Error(`its folder holds more than ${MOST_FILES} files`);
    }
  }
  return found;
}

/** A file as a state shows it; undefined for one that has gone, and for what is neither file nor link. */
async function showFile(path: string, textLeft: number): Promise<ShownFile | undefined> {
  // A pipe without a writer would keep a reader waiting.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  let handle: FileHandle;
  try {
    handle = await open(path, flags);
  } catch (thrown) {
    return readlink(path).then(
      (link) => ({ link }),
      () => unreadable(thrown),
    );
  }
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return undefined;
    const { size: bytes } = stat;
    if (bytes > MOST_HASHED_BYTES) return { bytes };
    const content = await handle.readFile();
    const text = bytes <= Math.min(MOST_TEXT_BYTES, textLeft) ? textOf(content) : undefined;
    return text ?? { bytes, sha256: createHash('sha256').update(content).digest('hex') };
  } finally {
    await handle.close();
  }
}

function unreadable(thrown: unknown): undefined {
  if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw thrown;
}

/** The text of a file in UTF-8; undefined for other bytes. */
function textOf(content: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}
