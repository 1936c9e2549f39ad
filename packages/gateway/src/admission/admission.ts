import type { PaidTokens } from '@data-designer/core';
import { CallTimes } from './call-times.ts';
import { type Clock, systemClock } from './clock.ts';
import { type Ending, type Grant, type PermitSource, type RateSetting, OTHER } from './permit-source.ts';
import { PriorityQueue } from './priority-queue.ts';

/** The right to send one request to a resource; released once, with how the request ended. */
export interface Permit {
  /** Records that a request with a body of this length was sent, and that connecting took at most this long. */
  sent(connectMs: number, bodyChars?: number): void;
  /** `tokens` are those that the answer tells, if the admission counts them. */
  release(ending?: Ending, tokens?: PaidTokens): void;
}

/** The shortest timer, in ms: rounding may leave a wait of almost zero. */
const SHORTEST_WAIT_MS = 1;

/** Options of an admission queue. */
export interface AdmissionOptions {
  /** The pool shared with other resources; one without a cap unless given. */
  readonly pool?: AdmissionPool;
  readonly clock?: Clock;
  /** Called when the limit may have changed. */
  readonly onChange?: () => void;
}

/** The queue of one resource: grants permits as its source allows, the lowest priority number first. */
export class Admission {
  readonly #limit: PermitSource;
  readonly #pool: AdmissionPool;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #queue = new PriorityQueue<(permit: Permit) => void>();
  readonly #times = new CallTimes();
  #inFlight = 0;
  #paused = false;
  #open = false;
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;

  constructor(
    limit: PermitSource,
    { pool = new AdmissionPool(Infinity), clock = systemClock, onChange }: AdmissionOptions = {},
  ) {
    this.#limit = limit;
    this.#pool = pool;
    this.#clock = clock;
    this.#onChange = onChange ?? (() => {});
    pool.add(this);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Calls that wait for a permit. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** The limit now. */
  get limit(): number {
    return this.#limit.size;
  }

  /** Milliseconds for which the endpoint's refusals stop the grants; 0 if they do not. */
  get stoppedMs(): number {
    const time = this.#clock.now();
    if (this.#open || this.#limit.permits(time) > 0 || this.#limit.rateWait?.(time)) return 0;
    return this.#limit.untilMore(time) ?? 0;
  }

  /** The rate per minute for which calls wait now; undefined if they wait for none. */
  get rateWait(): RateSetting | undefined {
    if (this.#queue.length === 0 || this.#open || this.#paused) return undefined;
    return this.#limit.rateWait?.(this.#clock.now());
  }

  /** The times of the calls, by column. */
  get times(): ReturnType<CallTimes['counts']> {
    return this.#times.counts(this.#clock.now());
  }

  /** A call of a column begins with its permit; call the returned function when it ends. */
  beginCall(column: string): (isAnswered: boolean) => void {
    const end = this.#times.begin(column, this.#clock.now());
    return (isAnswered) => end({ time: this.#clock.now(), isAnswered });
  }

  /** Whether permits are to be released with the tokens of their answers. */
  get countsTokens(): boolean {
    return this.#limit.countsTokens === true;
  }

  /** Calls `grant` with a permit, at once if one is free; the returned function withdraws the request. */
  request(priority: number, grant: (permit: Permit) => void): () => void {
    const withdraw = this.#queue.push(priority, grant);
    this.#pool.serve();
    return withdraw;
  }

  /** A permit if one is free and no call waits. */
  take(): Permit | undefined {
    if (this.#queue.length > 0) return undefined;
    let taken: Permit | undefined;
    const withdraw = this.request(0, (permit) => (taken = permit));
    if (!taken) withdraw();
    return taken;
  }

  /** Grants no more permits. */
  pause(): void {
    this.#paused = true;
    this.#timer?.cancel();
  }

  /** Grants every request at once: the calls end without being sent. */
  open(): void {
    if (this.#open) return;
    this.#open = true;
    this.#pool.serve();
  }

  /** As `request`, as a promise; rejects with the signal's reason when that is aborted first. */
  acquire(priority: number, signal: AbortSignal): Promise<Permit> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const withdraw = this.request(priority, (permit) => {
        signal.removeEventListener('abort', onAbort);
        resolve(permit);
      });
      function onAbort(): void {
        withdraw();
        reject(signal.reason as Error);
      }
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Whether a waiting call could get a permit now. */
  canServe(): boolean {
    if (this.#paused || this.#queue.length === 0) return false;
    const time = this.#clock.now();
    if (this.#open || this.#inFlight < this.#limit.permits(time)) return true;
    this.#lookAgain(time);
    return false;
  }

  /** Grants a permit to the next waiting call; call it only if `canServe()`. */
  serveNext(): void {
    const grant = this.#queue.shift();
    if (!grant) return;
    const given = this.#limit.grant(++this.#inFlight, this.#clock.now());
    grant(this.#permit(given));
  }

  /** Grants all permits that are free. */
  serve(): void {
    this.#pool.serve();
  }

  /** Grants all permits that are free, after a change of the limit from outside. */
  changed(): void {
    this.#pool.serve();
    this.#onChange();
  }

  #permit(given: Grant): Permit {
    let held = true;
    return {
      sent: (connectMs, bodyChars = 0) => {
        const time = this.#clock.now();
        this.#limit.sent(given, { time, connectMs, bodyChars });
        if (this.#queue.length > 0) this.#lookAgain(time);
      },
      release: (ending = OTHER, tokens) => {
        if (!held) return;
        held = false;
        this.#inFlight--;
        this.#limit.end(given, ending, { inFlight: this.#inFlight, time: this.#clock.now(), tokens });
        this.#pool.leave();
        if (ending !== OTHER) this.#onChange();
      },
    };
  }

  /**
   * Serves the queue again when there may be a permit. Uses the `time` at which there was none: with a later one, a pause
   * that has ended in between would set no timer.
   */
  #lookAgain(time: number): void {
    const ms = this.#limit.untilMore(time);
    if (ms === undefined) return;
    const at = time + Math.max(SHORTEST_WAIT_MS, ms);
    // An answer with fewer tokens than expected may end the wait for a rate early.
    if (this.#timer && this.#timer.at <= at + SHORTEST_WAIT_MS) return;
    this.#timer?.cancel();
    const cancel = this.#clock.after(at - time, () => {
      this.#timer = undefined;
      this.#pool.serve();
      this.#onChange();
    });
    this.#timer = { at, cancel };
  }
}

/** A cap on the requests in flight of several resources that the same machines serve. */
export class AdmissionPool {
  readonly #cap: number;
  readonly #members: Admission[] = [];
  #inFlight = 0;
  #serving = false;

  constructor(cap: number) {
    this.#cap = cap;
  }

  add(member: Admission): void {
    this.#members.push(member);
  }

  /** A request of a member has ended. */
  leave(): void {
    this.#inFlight--;
    this.serve();
  }

  /** Grants permits while there are any, to the member with the fewest requests in flight, so that none starves. */
  serve(): void {
    // A grant may request or release a permit at once: the running loop handles that.
    if (this.#serving) return;
    this.#serving = true;
    try {
      while (this.#inFlight < this.#cap) {
        const next = this.#next();
        if (!next) return;
        this.#inFlight++;
        next.serveNext();
      }
    } finally {
      this.#serving = false;
    }
  }

  #next(): Admission | undefined {
    let next: Admission | undefined;
    for (const member of this.#members) {
      if (member.canServe() && (!next || member.inFlight < next.inFlight)) next = member;
    }
    return next;
  }
}
