import { setTimeout as sleep } from 'node:timers/promises';
import { DataDesignerError } from '@data-designer/core';
import type { ToolProvider } from './provider.ts';
import type { SessionPlaces } from './session-places.ts';
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
const LONGEST_WAIT_MS = 2_000;
/** Time for other calls on a session to say whether it works. */
const VERDICT_MS = 2_000;
/** Time of faults in a row after which a slot gives up on a server that has worked before. */
const RECONNECT_MS = 30_000;

/** The options of a slot's sessions, and the listener to their events. */
export interface SlotOptions extends SessionOptions {
  readonly onEvent: (event: SessionEvent) => void;
  /** The places of child processes; no bound if absent. */
  readonly places?: SessionPlaces | undefined;
}

/** A session with the number of calls that use it; the last of them closes a retired session. */
interface Live {
  readonly session: ToolSession;
  users: number;
  retired: boolean;
  /** Calls that wait to know whether it answers any. */
  readonly curious: Set<() => void>;
}

/** A new session beside one that is in doubt, for all calls that doubt it. */
interface Trial {
  readonly doubted: ToolSession;
  readonly opening: Promise<Live>;
  live?: Live;
  /** Calls that wait for it or use it; the last of them ends it. */
  users: number;
}

type Work<T> = (session: ToolSession, leftMs: number) => Promise<T>;

/** One session of a provider: opens it once for all calls, replaces it when it is lost, closes retired ones. */
export class SessionSlot implements AsyncDisposable {
  readonly #provider: ToolProvider;
  readonly #options: SlotOptions;
  readonly #lives = new Set<Live>();
  readonly #leaving = new Set<Promise<void>>();
  /** The sessions that have answered a call. */
  readonly #proven = new WeakSet<ToolSession>();
  readonly #end = new AbortController();
  #current: Live | undefined;
  #opening: Promise<Live> | undefined;
  #trial: Trial | undefined;
  #users = 0;
  /** Faults in a row, and the time of the first. */
  #faults = 0;
  #failingSince = Infinity;
  #hasWorked = false;
  /** Whether its session was ended to make room for others. */
  #hasRested = false;

  constructor(provider: ToolProvider, options: SlotOptions) {
    this.#provider = provider;
    this.#options = options;
  }

  /** Calls that use the session or wait for it. */
  get users(): number {
    return this.#users;
  }

  /** Runs work while the slot has a place among the processes of the run; waiting for one is not in the time of a call. */
  async inPlace<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { places } = this.#options;
    this.#users++;
    try {
      return await (places ? places.use(this, work, signal) : work());
    } finally {
      this.#users--;
    }
  }

  /** Ends the session; the next use opens another. */
  async rest(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    const live = this.#current;
    this.#current = undefined;
    this.#hasRested ||= live !== undefined;
    if (live) {
      live.retired = true;
      if (live.users === 0) this.#leave(live);
    }
    await Promise.all(this.#leaving);
  }

  /**
   * Runs `work` with the session, after opening one if necessary. `timeoutMs` covers both; `work` gets the rest of it.
   * Rejects with `tool/unavailable` if no session can be opened, with a `SessionFault` if that takes too long.
   */
  use<T>(work: Work<T>, limits: ToolCallOptions): Promise<T> {
    return this.#run(this.#current ?? (() => this.#open()), work, limits);
  }

  /**
   * Runs `work` as `use` does, but with another session than the doubted one: the one that replaced it, or one on trial that all
   * calls with the same doubt share. `replace` puts it in the place of the doubted one; else it ends with its last call.
   */
  async useOther<T>(doubted: ToolSession, work: Work<T>, limits: ToolCallOptions): Promise<T> {
    if (this.#current?.session !== doubted) return this.use(work, limits);
    if (this.#trial?.doubted !== doubted) this.#trial = { doubted, opening: this.#openWithRetries(true), users: 0 };
    const trial = this.#trial;
    trial.users++;
    try {
      const open = async (): Promise<Live> => (trial.live = await trial.opening);
      return await this.#run(open, work, limits);
    } finally {
      if (--trial.users === 0) this.#endTrial(trial);
    }
  }

  /** Puts a session on trial that answered in the place of the one that was in doubt. */
  replace(doubted: ToolSession, { by, reason }: { readonly by: ToolSession; readonly reason: string }): void {
    const live = this.#liveOf(by);
    if (this.#current?.session !== doubted || live === undefined || by.lost !== undefined) return;
    this.retire(doubted, reason);
    this.#begin(live);
  }

  async #run<T>(from: Live | (() => Promise<Live>), work: Work<T>, limits: ToolCallOptions): Promise<T> {
    this.#users++;
    let live = typeof from === 'function' ? undefined : from;
    try {
      let leftMs = limits.timeoutMs;
      if (typeof from === 'function') {
        const start = performance.now();
        live = await unlessAborted(inTime(from(), leftMs, 'no session could be opened in that time'), limits.signal);
        leftMs -= performance.now() - start;
      }
      if (live === undefined) throw new Error('there is no session');
      live.users++;
      return await work(live.session, Math.max(1, leftMs));
    } finally {
      this.#users--;
      if (live) this.#leaveOne(live);
    }
  }

  /** Takes a failed session out of use; other calls on it may finish. */
  retire(session: ToolSession, reason: string): void {
    const live = this.#current;
    if (live?.session !== session) return;
    this.#current = undefined;
    this.#noteFault();
    live.retired = true;
    this.#options.onEvent({ type: 'tool-session-fail', provider: this.#provider.name, reason });
    if (live.users === 0) this.#leave(live);
  }

  /** Notes an answer to a call: resets the count of faults in a row. */
  noteAnswer(session: ToolSession): void {
    this.#faults = 0;
    this.#failingSince = Infinity;
    if (this.#proven.has(session)) return;
    this.#proven.add(session);
    for (const tell of this.#liveOf(session)?.curious ?? []) tell();
  }

  /** Whether a session has answered a call; waits a little for the other calls that are in flight on it. */
  async hasAnswered(session: ToolSession): Promise<boolean> {
    const live = this.#liveOf(session);
    if (this.#proven.has(session) || live === undefined || live.users === 0) return this.#proven.has(session);
    const { promise: told, resolve: tell } = Promise.withResolvers<void>();
    live.curious.add(tell);
    await Promise.race([told, sleep(VERDICT_MS, undefined, { ref: false })]);
    live.curious.delete(tell);
    return this.#proven.has(session);
  }

  #liveOf(session: ToolSession): Live | undefined {
    return [...this.#lives].find((live) => live.session === session);
  }

  /** One call fewer uses a session. */
  #leaveOne(live: Live): void {
    if (--live.users > 0) return;
    for (const tell of live.curious) tell();
    if (live.retired && this.#trial?.live !== live) this.#leave(live);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error('the tool sessions are closed'));
    await Promise.allSettled([this.#opening, this.#trial?.opening]);
    this.#current = undefined;
    for (const live of this.#lives) this.#leave(live);
    await Promise.all(this.#leaving);
  }

  #noteFault(): void {
    this.#faults++;
    this.#failingSince = Math.min(this.#failingSince, performance.now());
  }

  /** One opening for all calls that wait; a failed one is not reused. */
  #open(): Promise<Live> {
    this.#opening ??= this.#openWithRetries(false).finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  #endTrial(trial: Trial): void {
    if (this.#trial === trial) this.#trial = undefined;
    trial.opening.then(
      (live) => {
        if (live.retired && live.users === 0) this.#leave(live);
      },
      () => undefined,
    );
  }

  /** A server that has worked before may be restarting: the slot tries again with growing waits. */
  async #openWithRetries(isTrial: boolean): Promise<Live> {
    for (;;) {
      try {
        return await this.#connect(isTrial);
      } catch (thrown) {
        this.#noteFault();
        const isOver = this.#end.signal.aborted || !this.#hasWorked || !isLoss(thrown);
        if (isOver || performance.now() - this.#failingSince >= (this.#options.reconnectMs ?? RECONNECT_MS))
          throw thrown;
      }
    }
  }

  async #connect(isTrial: boolean): Promise<Live> {
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
    // A session on trial counts as retired until it replaces another.
    live = { session, users: 0, retired: true, curious: new Set() };
    this.#lives.add(live);
    if (!isTrial) this.#begin(live);
    if (lost.reason) this.retire(session, lost.reason);
    return live;
  }

  #begin(live: Live): void {
    live.retired = false;
    this.#current = live;
    const { name: provider } = this.#provider;
    if (!this.#hasRested) this.#options.onEvent({ type: 'tool-session-start', provider, again: this.#hasWorked });
    this.#hasRested = false;
    this.#hasWorked = true;
  }

  #leave(live: Live): void {
    if (!this.#lives.delete(live)) return;
    const leaving: Promise<void> = Promise.resolve(live.session[Symbol.asyncDispose]())
      .catch(() => undefined)
      .finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }
}

/** Opens a session with a tool server; rejects with `tool/unavailable`. Loads the MCP SDK and the protocol on first use. */
export async function openSession(provider: ToolProvider, options: SessionOptions = {}): Promise<ToolSession> {
  if (provider.providerType !== 'stdio' && !URL.canParse(provider.endpoint)) {
    const reason = 'its endpoint is not a valid address';
    throw new DataDesignerError('tool/unavailable', { provider: provider.name, reason });
  }
  const [{ sdkLink }, { RpcSession }] = await Promise.all([import('./sdk-client.ts'), import('./rpc-session.ts')]);
  const session = new RpcSession(provider, options, sdkLink);
  await session.open();
  return session;
}
