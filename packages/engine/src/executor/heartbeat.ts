import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { isMainThread, threadId } from 'node:worker_threads';

/** How often a worker shows that its event loop turns. */
const BEAT_MS = 1000;
/** How long a worker may go without one. */
const SILENCE_MS = 30_000;
/** How often is looked whether all workers have begun. */
const LOOK_MS = 5;
/** Workers that can be told apart; more than a pool ever has, those that replace lost ones included. */
const SLOTS = 256;
const FIELDS = 2;

/** Shared memory in which each worker writes its thread id and counts its beats; the first number counts the slots taken. */
export type HeartbeatMemory = SharedArrayBuffer;

/** Memory for the beats of a pool. */
export function heartbeatMemory(): HeartbeatMemory {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * (1 + SLOTS * FIELDS));
}

/** Beats for this worker thread until it ends. */
export function beat(memory: HeartbeatMemory): void {
  if (isMainThread) return;
  const beats = new Int32Array(memory);
  const slot = Atomics.add(beats, 0, 1) % SLOTS;
  const at = 1 + slot * FIELDS;
  Atomics.store(beats, at, threadId);
  setInterval(() => Atomics.add(beats, at + 1, 1), BEAT_MS).unref();
}

/** Watches the beats and ends workers that have gone silent: their event loop hangs, and their rows with it. */
export class HeartbeatWatch implements Disposable {
  readonly #beats: Int32Array;
  readonly #workers: () => readonly Worker[];
  readonly #seen = new Map<number, { count: number; at: number }>();
  readonly #timer: NodeJS.Timeout;
  readonly #silenceMs: number;

  constructor(memory: HeartbeatMemory, workers: () => readonly Worker[], silenceMs = SILENCE_MS) {
    this.#beats = new Int32Array(memory);
    this.#workers = workers;
    this.#silenceMs = silenceMs;
    this.#timer = setInterval(() => this.#look(), BEAT_MS).unref();
  }

  /** Waits until every worker has begun to beat, and so has loaded, or for so many ms. */
  async begun(longestMs: number): Promise<void> {
    const end = performance.now() + longestMs;
    while (this.#workers().some((worker) => !this.#hasBegun(worker)) && performance.now() < end) await sleep(LOOK_MS);
  }

  #hasBegun({ threadId: thread }: Worker): boolean {
    // A worker that has ended has no number.
    if (thread < 0) return true;
    for (let slot = 0; slot < SLOTS; slot++) {
      if (Atomics.load(this.#beats, 1 + slot * FIELDS) === thread) return true;
    }
    return false;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    for (let slot = 0; slot < SLOTS; slot++) {
      const at = 1 + slot * FIELDS;
      const thread = Atomics.load(this.#beats, at);
      if (thread !== 0) this.#check(thread, { count: Atomics.load(this.#beats, at + 1), at: now });
    }
  }

  #check(thread: number, now: { count: number; at: number }): void {
    const before = this.#seen.get(thread);
    if (!before || before.count !== now.count) {
      this.#seen.set(thread, now);
      return;
    }
    if (now.at - before.at < this.#silenceMs) return;
    this.#seen.set(thread, now);
    void this.#workers()
      .find(({ threadId: id }) => id === thread)
      ?.terminate();
  }
}
