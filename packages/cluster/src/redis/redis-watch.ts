import { messageOf } from '@data-designer/core';
import type { RedisAway, RedisEvent } from '@data-designer/engine/parts';

/** How often each connection is asked whether Redis answers: Redis counts as away after five seconds. */
const POLL_MS = 1000;
/** After so many polls without an answer Redis counts as away. A suspension of the process counts as one poll. */
const AWAY_POLLS = 5;
/** A trouble that lasts is reported again after so many polls. */
const REPEAT_POLLS = 60;
const NO_ERROR = 'the connection is open, but it does not answer';
/** The failure of commands that wait when this machine closes their connection. */
const CLOSED = 'Connection is closed.';

/** What is asked of a connection. The types of its client must not reach those of the package. */
interface AskedClient {
  readonly ping: () => Promise<unknown>;
}

/** A connection that is asked now and then. */
interface WatchedClient {
  readonly client: AskedClient;
  readonly address: string;
  isAsked: boolean;
  /** The polls since its last answer. */
  missed: number;
  /** The last error since its last answer. */
  reason: string | undefined;
}

/** Reports when Redis does not answer, when it does again, and which commands fail. All connections of a machine have one. */
export class RedisWatch {
  readonly #onEvent: (event: RedisEvent) => void;
  readonly #pollMs: number;
  readonly #watched = new Set<WatchedClient>();
  /** The polls at which failures were reported, by their text. */
  readonly #reported = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #polls = 0;
  /** What was reported of a Redis that is away, and at which poll. */
  #lost: { readonly away: RedisAway; readonly poll: number } | undefined;

  /** `onEvent` must not throw. */
  constructor(onEvent: (event: RedisEvent) => void, { pollMs = POLL_MS }: { readonly pollMs?: number } = {}) {
    this.#onEvent = onEvent;
    this.#pollMs = pollMs;
  }

  /** Watches a connection until it is disposed of. */
  add(client: AskedClient, address: string): Disposable {
    const watched: WatchedClient = { client, address, isAsked: false, missed: 0, reason: undefined };
    this.#watched.add(watched);
    this.#timer ??= setInterval(() => this.#poll(), this.#pollMs).unref();
    return { [Symbol.dispose]: () => this.#remove(watched) };
  }

  /** The connection that has not answered for the longest time; undefined if Redis answers. */
  get away(): RedisAway | undefined {
    const [longest] = [...this.#watched].toSorted((one, other) => other.missed - one.missed);
    if (!longest || longest.missed < AWAY_POLLS) return undefined;
    const { address, missed, reason = NO_ERROR } = longest;
    return { address, seconds: (missed * this.#pollMs) / 1000, reason };
  }

  /** Takes the error of a connection, which is opened again: the reason where Redis stays away. */
  disconnected(address: string, thrown: unknown): void {
    for (const watched of this.#watched)
      if (watched.address === address) watched.reason = messageOf(thrown) || undefined;
  }

  /** Takes the failure of a command. Commands wait while Redis is away, so Redis has refused this one. */
  failed(address: string, thrown: unknown): void {
    const reason = messageOf(thrown);
    if (reason === CLOSED || isLostLease(thrown)) return;
    const text = `${address} ${reason}`;
    if (this.#polls - (this.#reported.get(text) ?? -Infinity) < REPEAT_POLLS) return;
    this.#reported.set(text, this.#polls);
    this.#onEvent({ type: 'redis-fail', address, reason });
  }

  #remove(watched: WatchedClient): void {
    this.#watched.delete(watched);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #poll(): void {
    this.#polls++;
    for (const watched of this.#watched) {
      watched.missed++;
      if (!watched.isAsked) void this.#ask(watched);
    }
    const { away } = this;
    if (away && this.#polls - (this.#lost?.poll ?? -Infinity) >= REPEAT_POLLS) {
      this.#onEvent({ type: 'redis-lost', ...away });
      this.#lost = { away, poll: this.#polls };
    } else if (away && this.#lost) {
      this.#lost = { ...this.#lost, away };
    } else if (this.#lost) {
      const { address, seconds } = this.#lost.away;
      this.#lost = undefined;
      this.#onEvent({ type: 'redis-return', address, seconds });
    }
  }

  async #ask(watched: WatchedClient): Promise<void> {
    watched.isAsked = true;
    try {
      await watched.client.ping();
    } catch (thrown) {
      this.failed(watched.address, thrown);
    }
    watched.isAsked = false;
    watched.missed = 0;
    watched.reason = undefined;
  }
}

/** Whether a call to the queue failed because the job belongs to another machine by now, which is no failure of Redis. */
function isLostLease(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'number';
}
