import { setTimeout as sleep } from 'node:timers/promises';
import { DataDesignerError } from '@data-designer/core';
import type { ToolProvider } from './provider.ts';
import { RpcSession } from './rpc-session.ts';
import {
  inTime,
  isLoss,
  type SessionEvent,
  type SessionOptions,
  type ToolCallOptions,
  type ToolSession,
  unlessAborted,
} from './tool-session.ts';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
/** Faults in a row after which a slot gives up on a server that has worked before: 3.1 s in all. */
const MAX_FAULTS = 7;

/** The options of a slot's sessions, and the listener to their events. */
export interface SlotOptions extends SessionOptions {
  readonly onEvent: (event: SessionEvent) => void;
}

/** A session with the number of calls that use it; the last of them closes a retired session. */
interface Live {
  readonly session: ToolSession;
  users: number;
  retired: boolean;
}

/** One session of a provider: opens it once for all calls, replaces it when it is lost, closes retired ones. */
export class SessionSlot implements AsyncDisposable {
  readonly #provider: ToolProvider;
  readonly #options: SlotOptions;
  readonly #lives = new Set<Live>();
  readonly #leaving = new Set<Promise<void>>();
  readonly #end = new AbortController();
  #current: Live | undefined;
  #opening: Promise<Live> | undefined;
  #users = 0;
  #faults = 0;
  #hasWorked = false;

  constructor(provider: ToolProvider, options: SlotOptions) {
    this.#provider = provider;
    this.#options = options;
  }

  /** Calls that use the session or wait for it. */
  get users(): number {
    return this.#users;
  }

  /**
   * Runs `work` with the session, after opening one if necessary. `timeoutMs` covers both; `work` gets the rest of it.
   * Rejects with `tool/unavailable` if no session can be opened, with a `SessionFault` if that takes too long.
   */
  async use<T>(work: (session: ToolSession, leftMs: number) => Promise<T>, limits: ToolCallOptions): Promise<T> {
    this.#users++;
    let live = this.#current;
    try {
      let leftMs = limits.timeoutMs;
      if (live === undefined) {
        const start = performance.now();
        live = await unlessAborted(
          inTime(this.#open(), leftMs, 'no session could be opened in that time'),
          limits.signal,
        );
        leftMs -= performance.now() - start;
      }
      live.users++;
      return await work(live.session, Math.max(1, leftMs));
    } finally {
      this.#users--;
      if (live && --live.users === 0 && live.retired) this.#leave(live);
    }
  }

  /** Takes a failed session out of use; other calls on it may finish. */
  retire(session: ToolSession, reason: string): void {
    const live = this.#current;
    if (live?.session !== session) return;
    this.#current = undefined;
    this.#faults++;
    live.retired = true;
    this.#options.onEvent({ type: 'tool-session-fail', provider: this.#provider.name, reason });
    if (live.users === 0) this.#leave(live);
  }

  /** Resets the count of faults in a row. */
  noteSuccess(): void {
    this.#faults = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error('the tool sessions are closed'));
    await this.#opening?.catch(() => undefined);
    this.#current = undefined;
    for (const live of this.#lives) this.#leave(live);
    await Promise.all(this.#leaving);
  }

  /** One opening for all calls that wait; a failed one is not reused. */
  #open(): Promise<Live> {
    this.#opening ??= this.#openWithRetries().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** A server that has worked before may be restarting: the slot tries again with growing waits. */
  async #openWithRetries(): Promise<Live> {
    for (;;) {
      try {
        return await this.#connect();
      } catch (thrown) {
        this.#faults++;
        if (!this.#hasWorked || !isLoss(thrown) || this.#faults >= MAX_FAULTS || this.#end.signal.aborted) throw thrown;
      }
    }
  }

  async #connect(): Promise<Live> {
    const { signal } = this.#end;
    const waitMs = this.#faults < 2 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (this.#faults - 2), LONGEST_WAIT_MS);
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    const lost = { reason: '' };
    const onLost = (reason: string): void => {
      lost.reason = reason;
      if (live) this.retire(live.session, reason);
    };
    let live: Live | undefined;
    const session = await openSession(this.#provider, { ...this.#options, signal, onLost });
    live = { session, users: 0, retired: false };
    this.#lives.add(live);
    this.#current = live;
    this.#options.onEvent({ type: 'tool-session-start', provider: this.#provider.name, again: this.#hasWorked });
    this.#hasWorked = true;
    if (lost.reason) this.retire(session, lost.reason);
    return live;
  }

  #leave(live: Live): void {
    if (!this.#lives.delete(live)) return;
    const leaving: Promise<void> = Promise.resolve(live.session[Symbol.asyncDispose]())
      .catch(() => undefined)
      .finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }
}

/** Opens a session with a tool server; rejects with `tool/unavailable`. Loads the MCP SDK on first use. */
export async function openSession(provider: ToolProvider, options: SessionOptions = {}): Promise<ToolSession> {
  if (provider.providerType !== 'stdio' && !URL.canParse(provider.endpoint)) {
    const reason = 'its endpoint is not a valid address';
    throw new DataDesignerError('tool/unavailable', { provider: provider.name, reason });
  }
  const { sdkLink } = await import('./sdk-client.ts');
  const session = new RpcSession(provider, options, sdkLink);
  await session.open();
  return session;
}
