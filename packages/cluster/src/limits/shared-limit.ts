import type { AdmissionSettings } from '@data-designer/gateway';
import { AdaptiveLimit } from '@data-designer/gateway/adaptive-limit';

/** The limit of a model for all machines, its round, and milliseconds for which none sends a request. */
export interface LimitState {
  readonly limit: number;
  readonly round: number;
  readonly stoppedMs: number;
}

/** How requests of all machines to a model ended since the last time, by the round in which they were granted. */
export interface SharedEnds {
  readonly granted: Readonly<Record<string, number>>;
  readonly ends: Readonly<
    Record<string, { readonly answered: number; readonly refused: number; readonly lowest: number }>
  >;
  readonly retryAfterMs: number;
  readonly connectMs?: number;
}

interface SharedLimitOptions {
  readonly cap: number;
  readonly settings: AdmissionSettings;
  /** What an earlier owner found; undefined at the start of a run. */
  readonly known: LimitState | undefined;
}

/** Runs the adaptive limit of one model over the requests of all machines. */
export class SharedLimit {
  readonly #limit: AdaptiveLimit;
  /** The rounds of the machines begin here: those of an earlier owner are older than all of ours. */
  readonly #firstRound: number;

  constructor({ cap, settings, known }: SharedLimitOptions, time: number) {
    this.#limit = new AdaptiveLimit(cap, settings, known?.limit);
    this.#firstRound = known ? known.round + 1 : 0;
    if (known && known.stoppedMs > 0) this.#limit.stopUntil(time + known.stoppedMs);
  }

  /** Takes what all machines reported; `inFlight` are their requests in flight now. */
  take({ granted, ends, retryAfterMs, connectMs }: SharedEnds, inFlight: number, time: number): void {
    const rounds = Object.entries(ends).map(([round, counts]) => ({ round: this.#roundOf(round), ...counts }));
    for (const [round, requests] of Object.entries(granted)) {
      this.#limit.grantedElsewhere(this.#roundOf(round), requests);
    }
    const limit = this.now(time).limit;
    const ended = rounds.reduce((sum, { answered, refused }) => sum + answered + refused, 0);
    // As many were in flight before they ended, unless the share was not used up.
    const before = Math.min(limit, inFlight + ended);
    const isSentAt = { time, connectMs: connectMs ?? Infinity, bodyChars: 0 };
    this.#limit.sent({ inFlight: before, round: this.#limit.round }, isSentAt);
    for (const { round, answered } of rounds) {
      const at = { inFlight: before - 1, time };
      for (let end = 0; end < answered; end++) this.#limit.end({ inFlight: before, round }, { kind: 'answered' }, at);
    }
    for (const { round, refused, lowest } of rounds) {
      const grant = { inFlight: Math.max(1, Math.round(lowest * limit)), round };
      const ending = { kind: 'refused', retryAfterMs: retryAfterMs > 0 ? retryAfterMs : undefined } as const;
      for (let end = 0; end < refused; end++) this.#limit.end(grant, ending, { inFlight, time });
    }
  }

  /** The limit now. */
  now(time: number): LimitState {
    const permits = this.#limit.permits(time);
    const stoppedMs = permits > 0 ? 0 : (this.#limit.untilMore(time) ?? 0);
    const limit = permits > 0 ? permits : this.#limit.size;
    return { limit, round: this.#firstRound + this.#limit.round, stoppedMs };
  }

  /** Milliseconds until time alone changes the limit; undefined if it does not. */
  changesIn(time: number): number | undefined {
    return this.#limit.untilMore(time);
  }

  #roundOf(round: string): number {
    return Number(round) - this.#firstRound;
  }
}
