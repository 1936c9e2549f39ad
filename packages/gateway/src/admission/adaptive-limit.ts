import type { RunConfig } from '@data-designer/config';
import type { Ending, Grant, PermitSource, Sent } from './permit-source.ts';
import { type StartupRamp, startupRamp } from './startup-ramp.ts';

/** How the limit of an endpoint is found; the user's own numbers. */
export type AdmissionSettings = NonNullable<RunConfig['requestAdmission']>;

/** The numbers of NeMo Data Designer. */
export const ADMISSION_SETTINGS: AdmissionSettings = {
  multiplicativeDecreaseFactor: 0.75,
  additiveIncreaseStep: 1,
  successesUntilIncrease: 25,
  cooldownSeconds: 2,
  startupRampSeconds: 0,
};

/** Quiet after a refusal doubles with each further one, up to this. */
const LONGEST_QUIET_MS = 30_000;
/** So does the pause where everything is refused. */
const LONGEST_PAUSE_MS = 60_000;
/** Where a refusal stops everything for a time, the quiet is so many times that: to try costs a twentieth at most. */
const QUIET_PER_STOP = 20;
/** Steps above the ceiling double while they hold, up to this share of the limit. */
const LARGEST_STEP = 1 / 8;

/** A burst of refusals: those of requests that were under way together. */
interface Burst {
  /** The ceiling before it. */
  readonly ceiling: number;
  /** The rounds whose requests belong to it: from this one to the one that it began. */
  readonly sinceRound: number;
  /** The fewest requests under way, itself included, with which one was refused. */
  lowest: number;
  /** Its requests that have not ended, and whether any was answered. */
  left: number;
  answered: boolean;
  /** Until a later request is answered, its refusals still tell where the ceiling is. */
  settling: boolean;
}

/**
 * A limit that finds how many requests an endpoint stands. A refusal cuts it once for all that were under way, and
 * leaves a ceiling: what the endpoint served. Answers bring it back to the ceiling quickly. Above it, it is tried
 * rarely, ever more rarely while that is refused and in growing steps while it is not. docs/models.md has the law.
 */
export class AdaptiveLimit implements PermitSource {
  readonly #cap: number;
  readonly #settings: AdmissionSettings;
  #ramp: StartupRamp | undefined;
  #size: number;
  #ceiling: number;
  #round = 0;
  /** The round of the latest cut: requests of earlier ones have had their say. */
  #cutRound = 0;
  /** Requests since the cut that have not ended, and whether one was answered. */
  #young = 0;
  #youngAnswered = false;
  #burst: Burst | undefined;
  /** A burst of which nothing was served while others were under way, if nothing was since. */
  #spared: Burst | undefined;
  #answers = 0;
  #refusedTrials = 0;
  #heldTrials = 0;
  #storms = 0;
  #quietUntil = 0;
  #stoppedUntil = 0;

  constructor(cap: number, settings: AdmissionSettings = ADMISSION_SETTINGS) {
    this.#cap = cap;
    this.#settings = settings;
    this.#size = cap;
    this.#ceiling = cap;
    this.#ramp = startupRamp(cap, settings.startupRampSeconds);
  }

  /** Until something is known, all that may be: rows that are open before their time cost little. */
  get size(): number {
    return this.#ramp ? this.#cap : this.#size;
  }

  permits(time: number): number {
    if (this.#ramp) this.#climb(this.#ramp, time);
    return time < this.#stoppedUntil ? 0 : this.#size;
  }

  untilMore(time: number): number | undefined {
    if (time < this.#stoppedUntil) return this.#stoppedUntil - time;
    return this.#ramp?.untilMore(time);
  }

  grant(inFlight: number): Grant {
    this.#young++;
    return { place: inFlight, round: this.#round };
  }

  sent(grant: Grant, at: Sent): void {
    this.#ramp?.sent(grant, at);
  }

  end(grant: Grant, ending: Ending, now: { readonly inFlight: number; readonly time: number }): void {
    const isYoung = grant.round >= this.#cutRound;
    const burst = !isYoung && this.#burst && grant.round >= this.#burst.sinceRound ? this.#burst : undefined;
    if (isYoung) this.#young--;
    if (burst) burst.left--;
    if (ending.kind === 'answered') {
      if (isYoung) this.#trust();
      if (burst) burst.answered = true;
      this.#ramp?.answered(grant, now.time);
      this.#rise(grant, now);
    } else if (ending.kind === 'refused') {
      this.#stop(now.time, ending.retryAfterMs ?? 0);
      if (isYoung) this.#cut(now.time, ending.retryAfterMs ?? 0);
      this.#settle(grant, now);
    }
  }

  #climb(ramp: StartupRamp, time: number): void {
    this.#size = ramp.permits(time);
    if (this.#size >= this.#cap) this.#ramp = undefined;
  }

  /** What was asked since the cut is served. */
  #trust(): void {
    this.#youngAnswered = true;
    this.#storms = 0;
    this.#spared = undefined;
    if (this.#burst) this.#burst.settling = false;
  }

  #stop(time: number, ms: number): void {
    // A later, shorter wish does not end an earlier one.
    if (ms > 0) this.#stoppedUntil = Math.max(this.#stoppedUntil, time + ms);
  }

  #rise({ round }: Grant, { inFlight, time }: { readonly inFlight: number; readonly time: number }): void {
    if (this.#ramp || time < this.#stoppedUntil) return;
    const { additiveIncreaseStep, successesUntilIncrease } = this.#settings;
    if (this.#size < this.#ceiling) {
      this.#size = Math.min(this.#ceiling, this.#size + additiveIncreaseStep);
      return;
    }
    // An answer tells nothing about a limit that was not used up, nor about one that came after its request.
    const wasFull = inFlight + 1 >= this.#size;
    if (this.#ceiling >= this.#cap || !wasFull || round !== this.#round || time < this.#quietUntil) return;
    if (++this.#answers >= successesUntilIncrease) this.#tryMore();
  }

  /** Takes for served what was tried, and tries more. */
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

  /** A request that was sent since the last cut was refused: a new burst. */
  #cut(time: number, stopMs: number): void {
    this.#ramp = undefined;
    this.#burst = {
      ceiling: this.#burst?.settling ? this.#burst.ceiling : this.#ceiling,
      sinceRound: this.#cutRound,
      lowest: Infinity,
      left: this.#young,
      answered: this.#youngAnswered,
      settling: true,
    };
    this.#cutRound = ++this.#round;
    this.#young = 0;
    this.#youngAnswered = false;
    this.#answers = 0;
    this.#heldTrials = 0;
    this.#ceiling = this.#cap;
    this.#quietUntil = Math.max(this.#quietUntil, time + this.#quiet(stopMs));
    this.#refusedTrials++;
  }

  /** A refusal of the burst tells better where the ceiling is. */
  #settle({ place }: Grant, { inFlight, time }: { readonly inFlight: number; readonly time: number }): void {
    const burst = this.#burst;
    if (!burst?.settling) return;
    burst.lowest = Math.min(burst.lowest, place);
    if (burst.left === 0 && !burst.answered) {
      // One such burst may have met places that those before it held a moment longer: a second one has not.
      if (inFlight === 0 || (this.#spared ?? burst) !== burst) return this.#storm(burst, time);
      this.#spared = burst;
    }
    const served = Math.max(1, burst.lowest - 1, inFlight);
    if (served >= this.#ceiling) return;
    this.#ceiling = served;
    this.#size = Math.min(this.#size, this.#lowered(served));
  }

  /** Nothing of a burst was served: that says nothing about how many are, only that this is not the time to ask. */
  #storm(burst: Burst, time: number): void {
    const pause = Math.min(this.#settings.cooldownSeconds * 1000 * 2 ** this.#storms++, LONGEST_PAUSE_MS);
    this.#stop(time, pause);
    this.#ceiling = burst.ceiling;
    this.#size = 1;
    // What was under way before the pause tells nothing about after it.
    this.#burst = undefined;
    this.#cutRound = ++this.#round;
    this.#young = 0;
  }

  #lowered(size: number): number {
    return Math.max(1, Math.floor(size * this.#settings.multiplicativeDecreaseFactor));
  }

  /** How long not to try more than the ceiling. */
  #quiet(stopMs: number): number {
    const first = Math.max(this.#settings.cooldownSeconds * 1000, QUIET_PER_STOP * stopMs);
    return Math.min(first * 2 ** this.#refusedTrials, Math.max(first, LONGEST_QUIET_MS));
  }
}
