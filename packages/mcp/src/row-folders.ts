import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The names of the folders that hold those of the rows of one dataset. */
const PREFIX = 'data-designer-rows-';
/** The names of the marks of processes that use such a folder. */
const MARK = '.used-by-';
/** A folder without a mark may be one whose first mark is being written. */
const UNMARKED_MS = 60_000;

/**
 * The folders of the rows of a dataset, in a temporary folder. A row has the same path in every run of the dataset: arguments and
 * results of its calls may hold it. What runs have left that were killed is removed by the next run of any dataset.
 */
export class RowFolders implements AsyncDisposable {
  readonly #key: string;
  readonly #mark = `${MARK}${hostname()}-${process.pid}-${randomUUID()}`;
  #root: Promise<string> | undefined;
  /** The folders in use, until they are removed. */
  readonly #inUse = new Map<string, PromiseWithResolvers<void>>();

  /** `home`: what stands for the dataset; one of its own unless given. */
  constructor(home: string = randomUUID()) {
    this.#key = createHash('sha256').update(home).digest('hex').slice(0, 16);
  }

  /** Makes an empty folder, once one of the same name is removed. */
  async add(name: string): Promise<string> {
    for (let other = this.#inUse.get(name); other; other = this.#inUse.get(name)) await other.promise;
    this.#inUse.set(name, Promise.withResolvers());
    this.#root ??= this.#makeRoot();
    const folder = join(await this.#root, name);
    await removed(folder);
    await mkdir(folder);
    return folder;
  }

  /** Removes a folder; a link in it is removed, not followed. */
  async remove(name: string): Promise<void> {
    const root = await this.#root?.catch(() => undefined);
    if (root !== undefined) await removed(join(root, name));
    this.#inUse.get(name)?.resolve();
    this.#inUse.delete(name);
  }

  /** Removes all folders, unless another process uses some. */
  async [Symbol.asyncDispose](): Promise<void> {
    const root = await this.#root?.catch(() => undefined);
    if (root === undefined) return;
    await removed(join(root, this.#mark));
    if (!(await isUsed(root))) await removed(root);
  }

  async #makeRoot(): Promise<string> {
    const parent = await realpath(tmpdir());
    const root = join(parent, `${PREFIX}${this.#key}`);
    await mkdir(root, { recursive: true, mode: 0o700 });
    await writeFile(join(root, this.#mark), '');
    await removeLeft(parent, root);
    return root;
  }
}

/** Removes the folders of other datasets whose processes have all ended. */
async function removeLeft(parent: string, own: string): Promise<void> {
  const roots = (await readdir(parent)).filter((name) => name.startsWith(PREFIX)).map((name) => join(parent, name));
  await Promise.all(
    roots.map(async (root) => {
      if (root !== own && !(await isUsed(root)) && !(await isNew(root))) await removed(root);
    }),
  );
}

/** Whether a process that may run uses a folder. */
async function isUsed(root: string): Promise<boolean> {
  const names = await readdir(root).catch(() => []);
  const here = `${MARK}${hostname()}-`;
  return names.some((name) => {
    if (!name.startsWith(MARK)) return false;
    // Processes of another machine, or of another container, cannot be seen.
    return !name.startsWith(here) || runs(Number(name.slice(here.length).split('-')[0]));
  });
}

/** Whether a folder without marks may get one. */
async function isNew(root: string): Promise<boolean> {
  const names = await readdir(root).catch(() => []);
  if (names.some((name) => name.startsWith(MARK))) return false;
  const age = await stat(root).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  return age < UNMARKED_MS;
}

/** Whether a process of this number runs. */
function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Removes a folder as far as it may be: a server may have taken rights from its files, and the row must not fail by that. */
async function removed(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined);
}
