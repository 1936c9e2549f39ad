import {
  commitIter,
  type CommitOperation,
  createBranch,
  createRepo,
  datasetInfo,
  HubApiError,
  listFiles,
} from '@huggingface/hub';
import { DataDesignerError, isFailure, messageOf, stopFailure } from '@data-designer/core';
import { redactor } from '@data-designer/core/redact';
import { type HubConnection, hubFetch } from './hub-fetch.ts';
import { notPushed } from './hub-target.ts';
import type { PlannedFile } from './plan-push.ts';

/** A file on the Hub. */
export interface RemoteFile {
  readonly path: string;
  readonly bytes: number;
  /** The SHA-256 of a large file, or the hash of a git blob. */
  readonly hash: string;
  readonly isLarge: boolean;
}

/** A change of a branch. */
export interface HubChange {
  /** The commit that the change was compared with. */
  readonly parent: string;
  readonly title: string;
  readonly changed: readonly PlannedFile[];
  readonly deleted: readonly string[];
  /** Called after the upload of each large file. */
  readonly onUpload: (file: PlannedFile) => void;
}

/** A commit, null if the Hub names none, and the paths whose content was sent. */
interface HubCommit {
  readonly commit: string | null;
  readonly sent: ReadonlySet<string>;
}

interface FoundRevision {
  readonly commit?: string;
  readonly missing?: string;
}

/** One branch of a dataset on the Hub; requests go through `@huggingface/hub`. */
export class HubRepository {
  readonly #connection: HubConnection;
  /** The arguments of all requests; `hubFetch` adds the token. */
  readonly #common;

  constructor(connection: HubConnection) {
    const { endpoint, repoId } = connection.target;
    this.#connection = connection;
    this.#common = {
      repo: { type: 'dataset', name: repoId },
      hubUrl: endpoint.href.replace(/\/+$/, ''),
      fetch: hubFetch(connection),
      accessToken: '',
    } as const;
  }

  /** The commit of the branch; creates dataset and branch if they do not exist. Throws `hub/*`. */
  async open(isPrivate: boolean): Promise<string> {
    return this.#wrapped(async () => {
      const { target } = this.#connection;
      const found = await this.#find(target.revision, isPrivate);
      if (found.commit !== undefined) return found.commit;
      const isNew = found.missing === 'dataset' && (await this.#create(isPrivate));
      if (target.revision !== 'main') {
        if (!isNew) await this.#find('main', isPrivate);
        await createBranch({ ...this.#common, branch: target.revision }).catch(ignoreConflict);
      }
      const { commit } = await this.#find(target.revision, isPrivate && !isNew);
      if (commit !== undefined) return commit;
      throw notPushed(target, `the Hub did not create its branch '${target.revision}'`, 'Push again.');
    });
  }

  /** The files of a commit. */
  async files(commit: string): Promise<ReadonlyMap<string, RemoteFile>> {
    return this.#wrapped(async () => {
      const files = new Map<string, RemoteFile>();
      for await (const { type, path, size, oid = '', lfs } of listFiles({
        ...this.#common,
        revision: commit,
        recursive: true,
      })) {
        if (type === 'file')
          files.set(path, { path, bytes: lfs?.size ?? size, hash: lfs?.oid ?? oid, isLarge: lfs !== undefined });
      }
      return files;
    });
  }

  /** Makes one commit; returns its hash and the paths whose content was sent. */
  async commit({ parent, title, changed, deleted, onUpload }: HubChange): Promise<HubCommit> {
    const operations: CommitOperation[] = [
      ...changed.map(({ path, content }) => ({ operation: 'addOrUpdate', path, content }) as const),
      ...deleted.map((path) => ({ operation: 'delete', path }) as const),
    ];
    const { target } = this.#connection;
    // The library can lose a failure that comes together with the progress of another file.
    using failing = new FirstFailure(this.#common.fetch);
    const steps = commitIter({
      ...this.#common,
      fetch: failing.fetch,
      title,
      operations,
      branch: target.revision,
      parentCommit: parent,
      // The Hub's other protocol needs its own servers and connections, which `hubFetch` cannot guard.
      useXet: false,
    });
    const files = new Map(changed.map((file) => [file.path, file]));
    const sent = new Set(files.keys());
    return await this.#wrapped(async () => {
      for (;;) {
        const step = await Promise.race([steps.next(), failing.failure]);
        if (step.done === true) return { commit: step.value?.commit.oid ?? null, sent };
        if (step.value.event !== 'fileProgress') continue;
        const { path, state, progress } = step.value;
        const file = files.get(path);
        // A large file is hashed first. Its upload begins with progress 0, unless the Hub has the content already.
        if (state === 'hashing') sent.delete(path);
        else if (state === 'uploading' && progress === 0) sent.add(path);
        else if (state === 'uploading' && sent.has(path) && file) onUpload(file);
      }
    });
  }

  /** The commit of a revision, or the part that does not exist. Refuses a public dataset if it must be private. */
  async #find(revision: string, mustBePrivate: boolean): Promise<FoundRevision> {
    const { target } = this.#connection;
    try {
      const { private: isPrivate, sha: commit } = await datasetInfo({
        ...this.#common,
        name: target.repoId,
        revision,
        additionalFields: ['sha'],
      });
      if (!mustBePrivate || isPrivate) return { commit };
    } catch (thrown) {
      if (isFailure(thrown, 'hub/missing')) return { missing: thrown.data.part };
      throw thrown;
    }
    const remedy = 'Make it private in its settings on the Hub, or push it as a public dataset.';
    throw notPushed(target, 'it exists and is public, and a push does not make it private', remedy);
  }

  /** Creates the dataset; returns false if it exists. */
  async #create(isPrivate: boolean): Promise<boolean> {
    const made = await createRepo({ ...this.#common, visibility: isPrivate ? 'private' : 'public' }).catch(
      ignoreConflict,
    );
    return made !== undefined;
  }

  /** Runs requests; an error of the library becomes `hub/not-pushed`. */
  async #wrapped<Result>(work: () => Promise<Result>): Promise<Result> {
    const { target, token, signal } = this.#connection;
    try {
      return await work();
    } catch (thrown) {
      if (signal.aborted) throw stopFailure(signal);
      if (thrown instanceof DataDesignerError) throw thrown;
      const reason = `the answer of ${target.endpoint.host} cannot be used: ${redactor([token.value])(messageOf(thrown))}`;
      throw notPushed(target, reason, 'Check the address of the Hub.');
    }
  }
}

/** The dataset or branch exists already. */
function ignoreConflict(thrown: unknown): undefined {
  if (thrown instanceof HubApiError && thrown.statusCode === 409) return undefined;
  throw thrown;
}

/** The requests of a commit: the first failure ends them all, and disposing ends those that are still open. */
class FirstFailure implements Disposable {
  readonly fetch: typeof fetch;
  /** Rejects with the first failure of a request. */
  readonly failure: Promise<never>;
  readonly #ends = new AbortController();

  constructor(send: typeof fetch) {
    const { promise, reject } = Promise.withResolvers<never>();
    // Without a failure nothing waits for it in the end.
    promise.catch(() => {});
    this.failure = promise;
    this.fetch = async (input, init = {}) => {
      const signal = init.signal ? AbortSignal.any([this.#ends.signal, init.signal]) : this.#ends.signal;
      try {
        return await send(input, { ...init, signal });
      } catch (thrown) {
        reject(thrown);
        throw thrown;
      }
    };
  }

  [Symbol.dispose](): void {
    this.#ends.abort();
  }
}
