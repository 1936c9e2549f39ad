import { RateWindow, type Growth } from './rate-window.ts';

/** The rate of a lane needs this many cells, or the last 30 seconds: latencies vary. */
const CELLS_FOR_A_RATE = 100;
/** A run waits for the slowest of its last answers, which takes this many times the spread longer than the others. */
const SLOWEST_SPREADS = 2;
/** Until the pace of a lane is known, a cell is expected to take at most this many times as long as the lane has worked. */
const LONGER_THAN_WORKED = 1.5;
/** The largest share of a lane's time that is taken for its start. */
const MOST_START = 0.75;

/** The state of a lane at a time in ms. */
export interface LaneSample {
  readonly time: number;
  /** Finished cells. */
  readonly total: number;
  /** Requests in flight; 0 where that is not known. */
  readonly inFlight: number;
  /** Whether a request may have been sent. */
  readonly isBegun: boolean;
}

/** What is known of a lane from elsewhere. */
export interface LaneBounds {
  /** The most requests in flight; undefined if unknown. */
  readonly limit: number | undefined;
  /** The time of a cell in the slowest other lane, in ms; 0 while unknown. */
  readonly otherCellMs: number;
}

/** The pace of cells that share permits. */
export class Lane {
  readonly #base: number;
  #window: RateWindow | undefined;
  #now: number;
  #begunAt = 0;
  #total: number;
  #firstMs = 0;
  /** The time of requests in flight, summed. */
  #busyMs = 0;
  #mostInFlight = 0;
  /** The time lost until enough work for the lane was there; undefined while as many cells are in flight as were made. */
  #rampMs: number | undefined;

  constructor(time: number, total: number) {
    this.#base = total;
    this.#total = total;
    this.#now = time;
  }

  /** Takes the current state; times never go back. */
  add({ time, total, inFlight, isBegun }: LaneSample): void {
    const hasGrown = total > this.#total;
    if (!this.#window && (isBegun || hasGrown)) this.#begin(hasGrown ? this.#now : time);
    this.#mostInFlight = Math.max(this.#mostInFlight, inFlight);
    this.#busyMs += inFlight * (time - this.#now);
    this.#now = time;
    this.#total = total;
    this.#window?.add(time, total);
    if (!hasGrown) return;
    this.#firstMs ||= time - this.#begunAt;
    if (this.#made >= inFlight) this.#rampMs ??= this.#lostMs;
  }

  /** The mean time of a cell in flight, in ms; 0 while unknown. */
  get cellMs(): number {
    const growth = this.#rampMs === undefined ? undefined : this.#window?.growth;
    if (!growth) return 0;
    const { first, last } = growth;
    return ((last.time - first.time) / (last.total - first.total)) * (this.#busyMs / this.#workedMs);
  }

  /** Milliseconds until so many cells are finished; undefined while nothing is known. */
  msFor(left: number, { limit, otherCellMs }: LaneBounds): number | undefined {
    if (this.#rampMs !== undefined) {
      const growth = this.#window?.growth;
      return growth ? this.#msAtPace(left, { ...growth, limit }) : (left * this.#workedMs) / this.#made;
    }
    if (limit === undefined || (this.#made === 0 && otherCellMs === 0)) return undefined;
    const shortest = this.#made === 0 ? Infinity : this.#busyMs / this.#made;
    return (left * Math.max(otherCellMs, Math.min(LONGER_THAN_WORKED * this.#workedMs, shortest))) / limit;
  }

  #msAtPace(left: number, growth: Growth & Pick<LaneBounds, 'limit'>): number {
    const { first, last, longestMs, meanMs, limit = Infinity } = growth;
    const spanMs = last.time - first.time;
    const spreadMs = Math.min(Math.max(0, this.cellMs - this.#firstMs), spanMs);
    // The first answers are the fast ones: slower ones that were sent with them are missing in the count.
    const missingMs = spreadMs / 2 + (this.#rampMs ?? 0);
    const startMs = first.time === this.#begunAt ? Math.min(missingMs, spanMs * MOST_START) : 0;
    const perMs = (last.total - first.total) / (spanMs - startMs);
    const sinceMs = this.#now - last.time;
    const leftThen = left + this.#total - last.total;
    const waveMs = Math.min(this.#firstMs, this.cellMs, meanMs);
    const workMs = Math.max(leftThen / perMs, Math.ceil(leftThen / limit) * waveMs);
    const ms = workMs + SLOWEST_SPREADS * spreadMs - Math.min(sinceMs, longestMs);
    // A lane that stands still waits for something, the end of a back-off for example, and may wait as long again.
    return Math.max(ms, sinceMs > longestMs ? sinceMs : 0);
  }

  get #made(): number {
    return this.#total - this.#base;
  }

  /** The time in which the lane could have worked more, since it was never as busy before. */
  get #lostMs(): number {
    return this.#mostInFlight === 0 ? 0 : this.#workedMs - this.#busyMs / this.#mostInFlight;
  }

  get #workedMs(): number {
    return this.#window ? this.#now - this.#begunAt : 0;
  }

  #begin(time: number): void {
    this.#begunAt = time;
    this.#window = new RateWindow({ time, total: this.#base }, { atLeast: CELLS_FOR_A_RATE });
  }
}
