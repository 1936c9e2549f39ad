import { files } from './files.ts';
import { removeEmptyFolders } from './make-folder.ts';

/** Removes a new folder on disposal unless `keep` was called: a run that fails before it begins leaves nothing behind. */
export class UnusedFolder implements AsyncDisposable {
  readonly #path: string;
  readonly #parents: readonly string[];
  #kept: boolean;

  constructor(path: string, { wasThere, parents }: { wasThere: boolean; parents: readonly string[] }) {
    this.#path = path;
    this.#parents = parents;
    this.#kept = wasThere;
  }

  /** Keeps the folder from now on. */
  keep(): void {
    this.#kept = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#kept) return;
    await files().removeTree(this.#path);
    await removeEmptyFolders(this.#parents);
  }
}
