import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const open = new Set<string>();
let isWatched = false;

/** A private folder (0700), removed with its content when disposed, at the latest when the process ends. */
export class TemporaryFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<TemporaryFolder> {
    if (!isWatched) process.once('exit', removeAll);
    isWatched = true;
    const path = await mkdtemp(join(tmpdir(), `data-designer-${process.pid}-`));
    open.add(path);
    return new TemporaryFolder(path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
    open.delete(this.path);
  }
}

function removeAll(): void {
  for (const path of open) rmSync(path, { recursive: true, force: true });
}
