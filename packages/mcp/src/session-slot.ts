import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolSchema } from '@data-designer/core';
import { openSession } from './open-session.ts';
import type { ToolProvider } from './provider.ts';
import type { SessionOptions, ToolSession } from './tool-session.ts';

const LONGEST_WAIT_MS = 5_000;

/** A session with the number of those who use it; a retired one is closed by its last user. */
interface Live {
  readonly session: ToolSession;
  users: number;
  retired: boolean;
}

/** The place of one provider's session: opens it once for all, replaces it when it is gone, closes what is left over. */
export class SessionSlot implements AsyncDisposable {
  readonly #provider: ToolProvider;
  readonly #options: SessionOptions;
  readonly #lives = new Set<Live>();
  readonly #leaving = new Set<Promise<void>>();
  readonly #end = new AbortController();
  #current: Promise<Live> | undefined;
  #listing: Promise<readonly ToolSchema[]> | undefined;
  #faults = 0;

  constructor(provider: ToolProvider, options: SessionOptions) {
    this.#provider = provider;
    this.#options = options;
  }

  /** Lends the session out, opening one if need be; rejects with `tool/unavailable` if none can be had. */
  async use<T>(work: (session: ToolSession) => Promise<T>): Promise<T> {
    const live = await this.#open();
    live.users++;
    try {
      return await work(live.session);
    } finally {
      live.users--;
      this.#tidy(live);
    }
  }

  /** Takes a session that failed out of use; others who are using it may finish. */
  async retire(session: ToolSession): Promise<void> {
    const live = await this.#current?.catch(() => undefined);
    if (live?.session !== session || live.retired) return;
    live.retired = true;
    this.#current = undefined;
    this.#faults++;
    this.#tidy(live);
  }

  /** Says that the provider works: the next fault is the first again. */
  praise(): void {
    this.#faults = 0;
  }

  /** The listing that `list` makes, once for all; a failed one is made again. */
  listed(list: () => Promise<readonly ToolSchema[]>): Promise<readonly ToolSchema[]> {
    this.#listing ??= list().catch((thrown: unknown) => {
      this.#listing = undefined;
      throw thrown;
    });
    return this.#listing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error('the tool sessions are closed'));
    await this.#current?.catch(() => undefined);
    for (const live of this.#lives) this.#leave(live);
    await Promise.all(this.#leaving);
  }

  async #open(): Promise<Live> {
    const live = await this.#shared();
    if (!live.session.closed) return live;
    await this.retire(live.session);
    return this.#shared();
  }

  /** One opening for all who ask meanwhile; a failed one is not kept. */
  #shared(): Promise<Live> {
    this.#current ??= this.#connect().catch((thrown: unknown) => {
      this.#current = undefined;
      this.#faults++;
      throw thrown;
    });
    return this.#current;
  }

  async #connect(): Promise<Live> {
    const { signal } = this.#end;
    const waitMs = this.#faults < 2 ? 0 : Math.min(100 * 2 ** (this.#faults - 2), LONGEST_WAIT_MS);
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    const session = await openSession(this.#provider, { ...this.#options, signal });
    const live = { session, users: 0, retired: false };
    this.#lives.add(live);
    return live;
  }

  #tidy(live: Live): void {
    if (live.retired && live.users === 0) this.#leave(live);
  }

  #leave(live: Live): void {
    this.#lives.delete(live);
    const leaving: Promise<void> = Promise.resolve(live.session[Symbol.asyncDispose]())
      .catch(() => undefined)
      .finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }
}
