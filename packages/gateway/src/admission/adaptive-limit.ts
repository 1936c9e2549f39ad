import type { RunConfig } from '@data-designer/config';
import type { Ending, EndState, Grant, PermitSource, SentRequest } from './permit-source.ts';
import { type StartupRamp, startupRamp } from './startup-ramp.ts';

/** The settings of an adaptive limit, as users give them. */
export type AdmissionSettings = NonNullable<RunConfig['requestAdmission']>;

/** The defaults of NeMo Data Designer. */
export const ADMISSION_SETTINGS: AdmissionSettings = {
  multiplicativeDecreaseFactor: 0.75,
  additiveIncreaseStep: 1,
  successesUntilIncrease: 25,
  cooldownSeconds: 2,
  startupRampSeconds: 0,
};

/** The longest time without a trial above the ceiling; it doubles with each refused trial up to this. */
const LONGEST_QUIET_MS = 30_000;
/** The longest pause while everything is refused; it doubles up to this. */
const LONGEST_PAUSE_MS = 60_000;
/** After a Retry-After there is no trial for this many times as long: trials cost at most a twentieth of the time. */
const QUIET_PER_STOP = 20;
/** Steps above the ceiling double while they succeed, up to this share of the limit. */
const LARGEST_STEP = 1 / 8;

/** The refusals of requests that were in flight together. */
interface Burst {
  /** The ceiling before it. */
  readonly ceiling: number;
  /** Its requests were granted from this round up to the round that it began. */
  readonly sinceRound: number;
  /** The fewest requests in flight, itself included, with which one was refused. */
  lowest: number;
  /** Its requests still in flight, and whether any was answered. */
  left: number;
  answered: boolean;
  /** Until a later request is answered, its refusals still lower the ceiling. */
  settling: boolean;
}

/**
 * Finds how many requests an endpoint takes at a time. A refusal lowers the limit once for all requests in flight, and
 * sets a ceiling: the number that the endpoint served. Answers raise the limit to the ceiling quickly. Trials above the
 * ceiling get rarer while they are refused, and larger while they succeed. docs/internals/admission.md has the rules and their figures.
 */
export class AdaptiveLimit implements PermitSource {
  readonly #cap: number;
  readonly #settings: AdmissionSettings;
  #ramp: StartupRamp | undefined;
  #size: number;
  #ceiling: number;
  #round = 0;
  /** The round of the last decrease: requests of earlier rounds lower the limit no more. */
  #decreaseRound = 0;
  /** Requests in flight that were granted since the last decrease, and whether one was answered. */
  #newInFlight = 0;
  #newAnswered = false;
  #burst: Burst | undefined;
  /** The last burst that was refused whole while earlier requests were in flight, if no answer came since. */
  #refusedBurst: Burst | undefined;
  #answers = 0;
  #refusedTrials = 0;
  #heldTrials = 0;
  #pauses = 0;
  #quietUntil = 0;
  #stoppedUntil = 0;

  /** `known` is a limit that was found before; without it the search begins at the start of the ramp. */
  constructor(cap: number, settings: AdmissionSettings = ADMISSION_SETTINGS, known?: number) {
    this.#cap = cap;
    this.#settings = settings;
    this.#size = Math.min(cap, known ?? cap);
    this.#ceiling = this.#size;
    this.#ramp = known === undefined ? startupRamp(cap, settings.startupRampSeconds) : undefined;
  }

  /** The cap until the ramp ends: opening rows early costs little. */
  get size(): number {
    return this.#ramp ? this.#cap : this.#size;
  }

  permits(time: number): number {
    if (this.#ramp) this.#followRamp(this.#ramp, time);
    return time < this.#stoppedUntil ? 0 : this.#size;
  }

  untilMore(time: number): number | undefined {
    if (time < this.#stoppedUntil) return this.#stoppedUntil - time;
    return this.#ramp?.untilMore(time);
  }

  grant(inFlight: number): Grant {
    this.#newInFlight++;
    return { inFlight, round: this.#round };
  }

  /** The round of the requests that are granted now. */
  get round(): number {
    return this.#round;
  }

  /** Counts requests that were granted elsewhere, perhaps before the last changes of the limit were known there. */
  grantedElsewhere(round: number, requests: number): void {
    if (round >= this.#decreaseRound) this.#newInFlight += requests;
    else if (this.#burst && round >= this.#burst.sinceRound) this.#burst.left += requests;
  }

  sent(grant: Grant, at: SentRequest): void {
    this.#ramp?.sent(grant, at);
  }

  end(grant: Grant, ending: Ending, now: EndState): void {
    const isNew = grant.round >= this.#decreaseRound;
    const burst = !isNew && this.#burst && grant.round >= this.#burst.sinceRound ? this.#burst : undefined;
    if (isNew) this.#newInFlight--;
    if (burst) burst.left--;
    if (ending.kind === 'answered') {
      if (isNew) this.#acceptNew();
      if (burst) burst.answered = true;
      this.#ramp?.answered(grant, now.time);
      this.#raise(grant, now);
    } else if (ending.kind === 'refused') {
      this.#stop(now.time, ending.retryAfterMs ?? 0);
      if (isNew) this.#decrease(now.time, ending.retryAfterMs ?? 0);
      this.#lowerCeiling(grant, now);
    }
  }

  /** Grants nothing until then, for a pause that was known before. */
  stopUntil(time: number): void {
    this.#stoppedUntil = Math.max(this.#stoppedUntil, time);
  }

  #followRamp(ramp: StartupRamp, time: number): void {
    this.#size = ramp.permits(time);
    if (this.#size >= this.#cap) this.#ramp = undefined;
  }

  /** A request granted since the last decrease was answered: the limit is right. */
  #acceptNew(): void {
    this.#newAnswered = true;
    this.#pauses = 0;
    this.#refusedBurst = undefined;
    if (this.#burst) this.#burst.settling = false;
  }

  #stop(time: number, ms: number): void {
    // A shorter Retry-After does not end a longer one.
    if (ms > 0) this.#stoppedUntil = Math.max(this.#stoppedUntil, time + ms);
  }

  #raise({ round }: Grant, { inFlight, time }: EndState): void {
    if (this.#ramp || time < this.#stoppedUntil) return;
    const { additiveIncreaseStep, successesUntilIncrease } = this.#settings;
    if (this.#size < this.#ceiling) {
      this.#size = Math.min(this.#ceiling, this.#size + additiveIncreaseStep);
      return;
    }
    // An answer shows that a limit holds only if the limit was in use and did not change since the request.
    const wasFull = inFlight + 1 >= this.#size;
    if (this.#ceiling >= this.#cap || !wasFull || round !== this.#round || time < this.#quietUntil) return;
    if (++this.#answers >= successesUntilIncrease) this.#tryMore();
  }

  /** Makes a trial that succeeded the ceiling, and starts the next. */
  #tryMore(): void {
    this.#answers = 0;
    if (this.#size > this.#ceiling) {
      this.#ceiling = this.#size;
      this.#refusedTrials = 0;
      this.#heldTrials++;
    }
    const { additiveIncreaseStep: step } = this.#settings;
    const largest = Math.max(step, Math.floor(this.#size * LARGEST_STEP));
    this.#size = Math.min(this.#cap, this.#size + Math.min(largest, step * 2 ** this.#heldTrials));
    this.#round++;
  }

  /** A request granted since the last decrease was refused: starts a new burst. */
  #decrease(time: number, stopMs: number): void {
    this.#ramp = undefined;
    this.#burst = {
      ceiling: this.#burst?.settling ? this.#burst.ceiling : this.#ceiling,
      sinceRound: this.#decreaseRound,
      lowest: Infinity,
      left: this.#newInFlight,
      answered: this.#newAnswered,
      settling: true,
    };
    this.#decreaseRound = ++this.#round;
    this.#newInFlight = 0;
    this.#newAnswered = false;
    this.#answers = 0;
    this.#heldTrials = 0;
    this.#ceiling = this.#cap;
    this.#quietUntil = Math.max(this.#quietUntil, time + this.#quiet(stopMs));
    this.#refusedTrials++;
  }

  /** Lowers the ceiling to what a further refusal of the burst shows. */
  #lowerCeiling({ inFlight: granted }: Grant, { inFlight, time }: EndState): void {
    const burst = this.#burst;
    if (!burst?.settling) return;
    burst.lowest = Math.min(burst.lowest, granted);
    if (burst.left === 0 && !burst.answered) {
      // Earlier requests may have filled the endpoint a moment longer than expected, so only a second such burst pauses.
      if (inFlight === 0 || (this.#refusedBurst ?? burst) !== burst) return this.#pauseAll(burst, time);
      this.#refusedBurst = burst;
    }
    const served = Math.max(1, burst.lowest - 1, inFlight);
    if (served >= this.#ceiling) return;
    this.#ceiling = served;
    this.#size = Math.min(this.#size, this.#lowered(served));
  }

  /** A whole burst was refused: the endpoint serves nothing now, which says nothing about its capacity. */
  #pauseAll(burst: Burst, time: number): void {
    const pause = Math.min(this.#settings.cooldownSeconds * 1000 * 2 ** this.#pauses++, LONGEST_PAUSE_MS);
    this.#stop(time, pause);
    this.#ceiling = burst.ceiling;
    this.#size = 1;
    // Requests from before the pause say nothing about the time after it.
    this.#burst = undefined;
    this.#decreaseRound = ++this.#round;
    this.#newInFlight = 0;
  }

  #lowered(size: number): number {
    return Math.max(1, Math.floor(size * this.#settings.multiplicativeDecreaseFactor));
  }

  /** How long to stay at the ceiling. */
  #quiet(stopMs: number): number {
    const first = Math.max(this.#settings.cooldownSeconds * 1000, QUIET_PER_STOP * stopMs);
    return Math.min(first * 2 ** this.#refusedTrials, Math.max(first, LONGEST_QUIET_MS));
  }
}
