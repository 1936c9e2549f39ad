import { files } from './files.ts';

/**
 * Removes a folder that a run made and then could not use: a run that fails before it begins leaves nothing behind.
 * A folder that was there before is kept from the start.
 */
export class UnusedFolder implements AsyncDisposable {
  readonly #path: string;
  #kept: boolean;

  constructor(path: string, { wasThere }: { wasThere: boolean }) {
    this.#path = path;
    this.#kept = wasThere;
  }

  /** From here on the folder holds something of worth. */
  keep(): void {
    this.#kept = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#kept) await files().removeTree(this.#path);
  }
}
