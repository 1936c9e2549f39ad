import { rm } from 'node:fs/promises';

/** Removes a folder that a run opened and then could not use: a run that fails before it begins leaves nothing behind. */
export class UnusedFolder implements AsyncDisposable {
  readonly #path: string;
  #kept = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** From here on the folder holds something of worth. */
  keep(): void {
    this.#kept = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#kept) await rm(this.#path, { recursive: true, force: true });
  }
}
