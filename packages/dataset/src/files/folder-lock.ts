import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataDesignerError, isFields, systemCode } from '@data-designer/core';
import { writeDurably } from './commit-file.ts';
import { files } from './files.ts';
import { ifThere } from './missing-file.ts';
import { birthOf, isRunning } from './running-process.ts';
import { orStorageFailure } from './storage-failure.ts';

/** The codes of file systems without hard links. */
export const NO_HARD_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/** The process that holds a lock. */
interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly started: string;
  /** The process's start in the kernel's ticks, which tells it from a later process with the same id; empty if unknown. */
  readonly birth: string;
  readonly token: string;
  /** The run whose machines share the folder, where a run on a cluster holds the lock. */
  readonly cluster?: string;
}

/** The holder of a lock. */
interface LockOptions {
  /**
   * The id of a run on a cluster: its machines share the folder, and only they can tell that it is over. Runs of one session
   * take over locks from each other, since one machine at a time has its lease.
   */
  readonly cluster?: string | undefined;
  /** Whether a run on a cluster that holds the lock has lost all its machines. */
  readonly isLost?: ((run: string) => Promise<boolean>) | undefined;
}

/** A held lock. */
export interface FolderLock extends AsyncDisposable {
  /** Whether no other machine of a cluster has replaced it. */
  readonly isHeld: () => Promise<boolean>;
}

/** The session of a run on a cluster: a selection or a workflow consists of several runs, and the ids of all begin with its id. */
export function sessionOf(run: string): string {
  return run.split('.', 1)[0] ?? run;
}

/** Locks a folder until disposed, also after a dead process of this host; throws `dataset/locked` if another holds it. */
export async function takeFolderLock(path: string, options: LockOptions = {}): Promise<FolderLock> {
  const text = JSON.stringify(thisProcess(options));
  const own = `${path}.${randomUUID()}`;
  try {
    await orStorageFailure(path, async () => {
      await writeNew(own, text);
      await claim(path, { own, options });
    });
  } finally {
    await files()
      .unlink(own)
      .catch(() => {});
  }
  // Leftovers of other processes are no reason to fail.
  await clearAbandoned(path).catch(() => {});
  return heldLock(path, text);
}

function heldLock(path: string, text: string): FolderLock {
  return {
    isHeld: () =>
      orStorageFailure(path, async () => {
        const found = await readIfExists(path);
        // Without its folder the lock is not another machine's either.
        if (found === undefined) await stat(dirname(path));
        return found === text;
      }),
    [Symbol.asyncDispose]: () => release(path, text),
  };
}

/** Replaces the lock of a run on a cluster whose coordinator is lost; the caller has checked that it is. */
export async function takeClusterLock(path: string, cluster: string): Promise<FolderLock> {
  const text = JSON.stringify(thisProcess({ cluster }));
  await writeDurably(path, text);
  return heldLock(path, text);
}

/** The id of the run on a cluster that holds a lock; undefined if no run or another one does. */
export async function clusterOfLock(path: string): Promise<string | undefined> {
  return ownerIn((await readIfExists(path)) ?? '')?.cluster;
}

/** A process that requests the lock writes its claim in well under this time. */
const WRITTEN_WITHIN_MS = 60_000;
const CLAIM = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes the claims of processes that were killed while they requested the lock. */
async function clearAbandoned(path: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  for (const entry of await readdir(folder)) {
    if (!entry.startsWith(name) || !CLAIM.test(entry.slice(name.length))) continue;
    const claimed = join(folder, entry);
    const text = await readIfExists(claimed);
    if (text === undefined) continue;
    const isAbandoned = ownerIn(text) ? !isAlive(text) : Date.now() - (await stat(claimed)).mtimeMs > WRITTEN_WITHIN_MS;
    if (isAbandoned) await files().unlink(claimed);
  }
}

/** Throws `dataset/locked` if another process holds the lock file of a folder; does not acquire it. */
export async function refuseLocked(path: string): Promise<void> {
  const found = await readLock(path);
  if (found !== undefined && isAlive(found)) throw locked(path, found);
}

/** Links the claim to the lock's name, which only one process can do, or takes over the lock of a dead process. */
async function claim(
  path: string,
  { own, options }: { readonly own: string; readonly options: LockOptions },
): Promise<void> {
  while (!(await createFrom(own, path))) {
    const found = await readLock(path);
    if (found === undefined) continue;
    if (isAlive(found) && !(await mayReplace(found, options))) throw locked(path, found);
    if (await takeOver(path, { own, stale: found })) return;
  }
}

/** Without hard links a lock has no content for the moment in which it is written. */
const WRITE_MS = 2000;
const LOOK_MS = 100;

/** The text of a lock; empty if it stays without content, as a power cut leaves it: its text is not synced. */
async function readLock(path: string): Promise<string | undefined> {
  for (let waited = 0; ; waited += LOOK_MS) {
    const text = await readIfExists(path);
    if (text === undefined || !isBlank(text)) return text;
    const facts = await ifThere(stat(path), undefined);
    if (facts && (waited >= WRITE_MS || Date.now() - facts.mtimeMs > WRITE_MS)) return text;
    await sleep(LOOK_MS);
  }
}

/** Whether a run on a cluster may replace a lock: that of its session, or of a run that has lost all its machines. */
async function mayReplace(text: string, { cluster, isLost }: LockOptions): Promise<boolean> {
  const other = ownerIn(text)?.cluster;
  if (other === undefined || cluster === undefined) return false;
  return sessionOf(other) === sessionOf(cluster) || (isLost !== undefined && (await isLost(other)));
}

/** Replaces a stale lock. Several processes may find it stale: only the holder of `<lock>.takeover` may replace it. */
async function takeOver(path: string, { own, stale }: { own: string; stale: string }): Promise<boolean> {
  const takeover = `${path}.takeover`;
  if (!(await createFrom(own, takeover))) {
    const other = await readLock(takeover);
    if (other !== undefined && isAlive(other)) throw locked(path, other);
    await files().unlink(takeover);
    return false;
  }
  try {
    if ((await readIfExists(path)) !== stale) return false;
    await files().rename(own, path);
    return true;
  } finally {
    await files().unlink(takeover);
  }
}

/** Creates a file; returns false if it exists. File systems without hard links get a copy, which is not atomic. */
async function createFrom(own: string, path: string): Promise<boolean> {
  try {
    await linkOrCopy(own, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function linkOrCopy(own: string, path: string): Promise<void> {
  try {
    await files().link(own, path);
  } catch (error) {
    if (!NO_HARD_LINKS.has(systemCode(error))) throw error;
    await writeNew(path, await readFile(own, 'utf8'));
  }
}

/** Writes a file that must not exist yet. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await files().open(path, 'ax');
  try {
    await files().write(file, text);
  } finally {
    await files().close(file);
  }
}

function release(path: string, text: string): Promise<void> {
  return orStorageFailure(path, async () => {
    if ((await readIfExists(path)) === text) await files().unlink(path);
  });
}

function readIfExists(path: string): Promise<string | undefined> {
  return ifThere(readFile(path, 'utf8'), undefined);
}

function thisProcess({ cluster }: LockOptions): Owner {
  const started = new Date(Date.now() - process.uptime() * 1000).toISOString();
  return {
    pid: process.pid,
    host: hostname(),
    started,
    birth: birthOf(process.pid),
    token: randomUUID(),
    ...(cluster === undefined ? {} : { cluster }),
  };
}

function ownerIn(text: string): Owner | undefined {
  try {
    const owner: unknown = JSON.parse(text);
    return isOwner(owner) ? owner : undefined;
  } catch {
    return undefined;
  }
}

function isOwner(value: unknown): value is Owner {
  return isFields(value) && typeof value.pid === 'number' && typeof value.host === 'string';
}

function isAlive(text: string): boolean {
  if (isBlank(text)) return false;
  const owner = ownerIn(text);
  // Machines of a cluster go on without the process that holds the lock.
  if (owner === undefined || owner.host !== hostname() || owner.cluster !== undefined) return true;
  return isRunning(owner.pid, owner.birth);
}

/** Whether a lock has no content: none at all, or zeros in its place. */
function isBlank(text: string): boolean {
  return !/[^\0\s]/.test(text);
}

function locked(path: string, text: string): DataDesignerError {
  const owner = ownerIn(text);
  if (owner?.cluster !== undefined) {
    return new DataDesignerError('dataset/locked', {
      path: dirname(path),
      owner: `a run on a cluster, begun on ${owner.host} (continue it with data-designer join, or with create --resume always --cluster)`,
    });
  }
  if (owner?.pid === process.pid && owner.host === hostname()) {
    return new DataDesignerError('dataset/locked', { path: dirname(path), owner: 'another run of this program' });
  }
  const who = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host} since ${owner.started}`;
  return new DataDesignerError('dataset/locked', {
    path: dirname(path),
    owner: `${who} (if that is long gone, delete ${path})`,
  });
}
