import { files } from './files.ts';

/** Removes a new folder on disposal unless `keep` was called: a run that fails before it begins leaves nothing behind. */
export class UnusedFolder implements AsyncDisposable {
  readonly #path: string;
  #kept: boolean;

  constructor(path: string, { wasThere }: { wasThere: boolean }) {
    this.#path = path;
    this.#kept = wasThere;
  }

  /** Keeps the folder from now on. */
  keep(): void {
    this.#kept = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#kept) await files().removeTree(this.#path);
  }
}
