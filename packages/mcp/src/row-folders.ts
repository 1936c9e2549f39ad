import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The names of the folders that hold those of rows: of a machine and a process. */
const PREFIX = 'data-designer-rows-';

/** The folders of the rows of a process, in one temporary folder. What ended processes of this machine have left is removed. */
export class RowFolders implements AsyncDisposable {
  #root: Promise<string> | undefined;
  #added = 0;

  /** Makes an empty folder. */
  async add(): Promise<string> {
    this.#root ??= makeRoot();
    const folder = join(await this.#root, String(this.#added++));
    await mkdir(folder);
    return folder;
  }

  /** Removes a folder; a link in it is removed, not followed. */
  async remove(folder: string): Promise<void> {
    await removed(folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const root = await this.#root?.catch(() => undefined);
    if (root !== undefined) await removed(root);
  }
}

async function makeRoot(): Promise<string> {
  const parent = await realpath(tmpdir());
  const own = `${PREFIX}${hostname()}-`;
  await removeLeft(parent, own);
  return mkdtemp(join(parent, `${own}${process.pid}-`));
}

/** Removes the folders of processes of this machine that have ended. */
async function removeLeft(parent: string, own: string): Promise<void> {
  const names = await readdir(parent);
  const left = names.filter((name) => {
    const pid = name.startsWith(own) ? /^(\d+)-/.exec(name.slice(own.length))?.[1] : undefined;
    return pid !== undefined && !runs(Number(pid));
  });
  await Promise.all(left.map((name) => removed(join(parent, name))));
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
async function removed(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined);
}
