import type { Grant, Sent } from './permit-source.ts';

/** How a limit grows before anything is known about the endpoint. */
export interface StartupRamp {
  /** Permits now. */
  permits(time: number): number;
  /** Milliseconds until there are more, if all are held and calls wait; undefined if not known. */
  untilMore(time: number): number | undefined;
  /** The request of a grant was sent. */
  sent(grant: Grant, at: Sent): void;
  /** The request of a grant was answered; `sent` may not have been called. */
  answered(grant: Grant, time: number): void;
}

/** Permits to begin with: few enough to be refused, enough for small endpoints. */
const FIRST_PERMITS = 32;
const GROWTH = 2;
/** The time over all doublings in which refusals may arrive: an endpoint that refuses does so soon. */
const LISTEN_MS = 100;
/** The time at each doubling is at least this many times the time to connect. */
const LISTEN_CONNECTS = 2;
/** A longer time to connect was spent waiting on this side. */
const LONGEST_CONNECT_MS = 150;

/**
 * The way up to `cap` permits. In `seconds` it is a straight line from 1, as NeMo Data Designer has it; in 0 seconds
 * permits double, from 32, whenever all of them were taken and sent and nothing was refused for a moment.
 */
export function startupRamp(cap: number, seconds: number): StartupRamp {
  return seconds > 0 ? new LinearRamp(cap, seconds * 1000) : new ListeningRamp(cap);
}

class LinearRamp implements StartupRamp {
  readonly #cap: number;
  readonly #ms: number;
  #startedAt: number | undefined;

  constructor(cap: number, ms: number) {
    this.#cap = cap;
    this.#ms = ms;
  }

  permits(time: number): number {
    this.#startedAt ??= time;
    const share = Math.min(1, (time - this.#startedAt) / this.#ms);
    return Math.max(1, Math.floor(this.#cap * share));
  }

  untilMore(time: number): number | undefined {
    const permits = this.permits(time);
    if (permits >= this.#cap) return undefined;
    // A little late rather than early: a timer that finds nothing changed would be set again and again.
    return (this.#startedAt ?? time) + ((permits + 1) / this.#cap) * this.#ms - time + 1;
  }

  sent(): void {}

  answered(): void {}
}

class ListeningRamp implements StartupRamp {
  readonly #cap: number;
  readonly #listenMs: number;
  #permits: number;
  /** The time that it took at least to connect. */
  #connectMs = LONGEST_CONNECT_MS;
  #isAnswered = false;
  /** When the last of the permits was on its way. */
  #allSentAt: number | undefined;

  constructor(cap: number) {
    this.#cap = cap;
    this.#permits = Math.min(cap, FIRST_PERMITS);
    this.#listenMs = LISTEN_MS / Math.max(2, Math.ceil(Math.log2(cap / FIRST_PERMITS)));
  }

  permits(time: number): number {
    if (this.untilMore(time) === 0) {
      this.#permits = Math.min(this.#cap, this.#permits * GROWTH);
      this.#allSentAt = undefined;
    }
    return this.#permits;
  }

  untilMore(time: number): number | undefined {
    if (this.#allSentAt === undefined) return undefined;
    const listenMs = Math.max(this.#listenMs, LISTEN_CONNECTS * this.#connectMs);
    return Math.max(0, this.#allSentAt + listenMs - time);
  }

  sent({ inFlight }: Grant, { time, connectMs }: Sent): void {
    // Connections that are used again take no time, and tell nothing.
    if (!this.#isAnswered) this.#connectMs = Math.min(this.#connectMs, connectMs);
    this.#note(inFlight, time);
  }

  answered({ inFlight }: Grant, time: number): void {
    this.#isAnswered = true;
    this.#note(inFlight, time);
  }

  #note(inFlight: number, time: number): void {
    if (inFlight >= this.#permits) this.#allSentAt ??= time;
  }
}
