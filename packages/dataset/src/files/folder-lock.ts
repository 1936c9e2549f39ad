import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DataDesignerError } from '@data-designer/core';
import { files } from './files.ts';
import { storageFailure } from './storage-failure.ts';

const NO_HARD_LINKS = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/** Who holds a lock. */
interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly started: string;
  /** When the process began, in the kernel's ticks: tells it from a later one of the same number. Empty where unknown. */
  readonly birth: string;
  readonly token: string;
}

/**
 * Takes the lock file of a folder and gives it back on disposal. `dataset/locked` if a live process holds it, or one of
 * another host, of which nothing can be known; the lock of a dead process of this host is taken over.
 */
export async function takeFolderLock(path: string): Promise<AsyncDisposable> {
  const text = JSON.stringify(thisProcess());
  const own = `${path}.${randomUUID()}`;
  try {
    await writeNew(own, text);
    await claim(path, own);
  } catch (error) {
    throw storageFailure(error, path);
  } finally {
    await files()
      .unlink(own)
      .catch(() => {});
  }
  // What others have left there is no reason to fail.
  await clearLeft(path).catch(() => {});
  return { [Symbol.asyncDispose]: () => release(path, text) };
}

/** A process that asks for the lock writes its name in well under this time. */
const WRITTEN_WITHIN_MS = 60_000;
const CLAIM = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes what processes have left that were killed while they asked for the lock. */
async function clearLeft(path: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  for (const entry of await readdir(folder)) {
    if (!entry.startsWith(name) || !CLAIM.test(entry.slice(name.length))) continue;
    const claimed = join(folder, entry);
    const text = await readIfThere(claimed);
    if (text === undefined) continue;
    const isLeft = ownerIn(text) ? !isAlive(text) : Date.now() - (await stat(claimed)).mtimeMs > WRITTEN_WITHIN_MS;
    if (isLeft) await files().unlink(claimed);
  }
}

/** Throws `dataset/locked` while another holds the lock file of a folder; takes nothing. */
export async function refuseLocked(path: string): Promise<void> {
  const found = await readIfThere(path);
  if (found !== undefined && isAlive(found)) throw locked(path, found);
}

/** Links the written file to the lock's name, which only one process can do, or takes over from a dead one. */
async function claim(path: string, own: string): Promise<void> {
  while (!(await createFrom(own, path))) {
    const found = await readIfThere(path);
    if (found === undefined) continue;
    if (isAlive(found)) throw locked(path, found);
    if (await takeOver(path, { own, stale: found })) return;
  }
}

/** Replaces a stale lock. Several may find it stale at once: only the one that holds `<lock>.takeover` may touch it. */
async function takeOver(path: string, { own, stale }: { own: string; stale: string }): Promise<boolean> {
  const permit = `${path}.takeover`;
  if (!(await createFrom(own, permit))) {
    const other = await readIfThere(permit);
    if (other !== undefined && isAlive(other)) throw locked(path, other);
    await files().unlink(permit);
    return false;
  }
  try {
    if ((await readIfThere(path)) !== stale) return false;
    await files().rename(own, path);
    return true;
  } finally {
    await files().unlink(permit);
  }
}

/** Whether the file was not there and now is. File systems without hard links get a copy, which is not there at one stroke. */
async function createFrom(own: string, path: string): Promise<boolean> {
  try {
    await linkOrCopy(own, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function linkOrCopy(own: string, path: string): Promise<void> {
  try {
    await files().link(own, path);
  } catch (error) {
    if (!NO_HARD_LINKS.has(codeOf(error))) throw error;
    await writeNew(path, await readFile(own, 'utf8'));
  }
}

/** Writes a file that must not be there yet. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await files().open(path, 'ax');
  try {
    await files().write(file, text);
  } finally {
    await files().close(file);
  }
}

async function release(path: string, text: string): Promise<void> {
  try {
    if ((await readIfThere(path)) === text) await files().unlink(path);
  } catch (error) {
    throw storageFailure(error, path);
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function thisProcess(): Owner {
  const started = new Date(Date.now() - process.uptime() * 1000).toISOString();
  return { pid: process.pid, host: hostname(), started, birth: birthOf(process.pid), token: randomUUID() };
}

function ownerIn(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Owner;
    return typeof owner.pid === 'number' && typeof owner.host === 'string' ? owner : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(text: string): boolean {
  const owner = ownerIn(text);
  if (owner === undefined || owner.host !== hostname()) return true;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
  return owner.birth === birthOf(owner.pid);
}

/** What has ended keeps its number until it is waited for, which the first process of a container may never do. */
const ENDED = new Set(['Z', 'X']);

/** Field 22 of `/proc/<pid>/stat`, `ended` for what runs no more; the second field, the name in brackets, may hold spaces. */
function birthOf(pid: number): string {
  try {
    const facts = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = facts.slice(facts.lastIndexOf(')') + 2).split(' ');
    return ENDED.has(fields[0] ?? '') ? 'ended' : (fields[19] ?? '');
  } catch {
    return '';
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

function locked(path: string, text: string): DataDesignerError {
  const owner = ownerIn(text);
  const who = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host} since ${owner.started}`;
  return new DataDesignerError('dataset/locked', {
    path: dirname(path),
    owner: `${who} (if that is long gone, delete ${path})`,
  });
}
