import { constants, type Stats } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';

/** More than any model accepts. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A pipe without a writer must not block, and a link created after the check must not be followed. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Reads a file as Base64 from the first folder that has it. Undefined where no folder has such a file of at most 64 MB;
 * a path or link that leads out of all folders is not followed.
 */
export async function readMedia(path: string, folders: readonly string[]): Promise<string | undefined> {
  const homes = await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)));
  const known = homes.filter((home) => home !== undefined);
  for (const home of known) {
    const found = await readWithin(path, home, known);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function readWithin(path: string, home: string, known: readonly string[]): Promise<string | undefined> {
  try {
    const target = await realpath(resolve(home, path));
    if (!known.some((folder) => isWithin(target, folder))) return undefined;
    await using file = await open(target, OPEN_FLAGS);
    const facts = await file.stat();
    return isReadable(facts) ? await contentOf(file, facts.size) : undefined;
  } catch {
    return undefined;
  }
}

function isWithin(target: string, folder: string): boolean {
  return target.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function isReadable(facts: Stats): boolean {
  return facts.isFile() && facts.size <= MAX_BYTES;
}

/** Reads at most the size that was checked. */
async function contentOf(file: Awaited<ReturnType<typeof open>>, size: number): Promise<string> {
  const bytes = Buffer.alloc(size);
  let at = 0;
  for (let read = 1; read > 0 && at < size; at += read)
    ({ bytesRead: read } = await file.read(bytes, at, size - at, at));
  return bytes.toString('base64', 0, at);
}
