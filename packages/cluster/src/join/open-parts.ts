import type { JoinTarget } from './find-runs.ts';

/** The parts of this machine in the runs and sessions that are open at the same time. */
export class OpenParts {
  readonly #open = new Map<string, JoinTarget>();
  readonly #failing = new AbortController();
  #failure: { readonly thrown: unknown } | undefined;
  #change = Promise.withResolvers<void>();

  /** The runs and sessions by their ids. */
  get taken(): ReadonlyMap<string, JoinTarget> {
    return this.#open;
  }

  /** Aborted once a part has failed: the others leave their runs. */
  get failing(): AbortSignal {
    return this.#failing.signal;
  }

  /** Adds a part, which lasts until its work ends. */
  add(found: JoinTarget, work: Promise<void>): void {
    this.#open.set(found.run, found);
    const end = (): void => {
      this.#open.delete(found.run);
      this.wake();
    };
    work.catch((thrown: unknown) => this.fail(thrown)).then(end, end);
  }

  /** Ends all parts because of a failure; the first one counts. */
  fail(thrown: unknown): void {
    this.#failure ??= { thrown };
    this.#failing.abort(thrown);
  }

  /** Ends a wait for a change. */
  wake(): void {
    this.#change.resolve();
  }

  /** Waits until a part ends or `wake` is called, at most so many milliseconds if given. */
  async change(ms?: number): Promise<void> {
    const timer = ms === undefined ? undefined : setTimeout(() => this.wake(), ms);
    await this.#change.promise;
    clearTimeout(timer);
    this.#change = Promise.withResolvers();
  }

  /** Waits until all parts have ended; throws the first failure. */
  async ended(): Promise<void> {
    while (this.#open.size > 0) await this.change();
    if (this.#failure) throw this.#failure.thrown;
  }
}
