import { type Clock, systemClock } from './clock.ts';
import { type Ending, type Grant, type PermitSource, OTHER } from './permit-source.ts';
import { PriorityQueue } from './priority-queue.ts';

/** A place among the requests that a resource serves at a time; given back once, with how the request ended. */
export interface Permit {
  /** The request is on its way, and took so long at most to connect: from now on the endpoint may refuse it. */
  sent(connectMs: number): void;
  release(ending?: Ending): void;
}

/** No sooner is looked again, in ms: what rounding leaves of a wait is none. */
const SHORTEST_WAIT_MS = 1;

/** What an admission stands among. */
export interface AdmissionOptions {
  /** What its requests share with those of other resources; a pool of its own unless given. */
  readonly pool?: AdmissionPool;
  readonly clock?: Clock;
  /** Called when the limit may have changed. */
  readonly onChange?: () => void;
}

/** How many requests a resource serves at a time, and who goes next: the lowest priority first, which is a row's number mostly. */
export class Admission {
  readonly #limit: PermitSource;
  readonly #pool: AdmissionPool;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #queue = new PriorityQueue<(permit: Permit) => void>();
  #inFlight = 0;
  #paused = false;
  #open = false;
  #cancelTimer: (() => void) | undefined;

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

  /** How many wait for a place. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** The limit as it is now. */
  get limit(): number {
    return this.#limit.size;
  }

  /** For how many ms no place is given, whoever asks; 0 if that is not so. */
  get stoppedMs(): number {
    const time = this.#clock.now();
    return this.#open || this.#limit.permits(time) > 0 ? 0 : (this.#limit.untilMore(time) ?? 0);
  }

  /** Calls `grant` when there is a place, at once if there is one now; the returned function withdraws the wish. */
  request(priority: number, grant: (permit: Permit) => void): () => void {
    const withdraw = this.#queue.push(priority, grant);
    this.#pool.serve();
    return withdraw;
  }

  /** A place, if there is one now and nobody waits for it. */
  take(): Permit | undefined {
    if (this.#queue.length > 0) return undefined;
    let taken: Permit | undefined;
    const withdraw = this.request(0, (permit) => (taken = permit));
    if (!taken) withdraw();
    return taken;
  }

  /** Grants nothing any more. */
  pause(): void {
    this.#paused = true;
    this.#cancelTimer?.();
  }

  /** From now on everybody is let through, as nothing is sent any more. */
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

  /** Whether somebody waits who could be served now. */
  canServe(): boolean {
    if (this.#paused || this.#queue.length === 0) return false;
    const time = this.#clock.now();
    if (this.#open || this.#inFlight < this.#limit.permits(time)) return true;
    this.#lookAgain(time);
    return false;
  }

  /** Serves the next who waits; to be called while there is a priority. */
  serveNext(): void {
    const grant = this.#queue.shift();
    if (!grant) return;
    const given = this.#limit.grant(++this.#inFlight);
    grant(this.#permit(given));
  }

  /** Serves whoever can be. */
  serve(): void {
    this.#pool.serve();
  }

  #permit(given: Grant): Permit {
    let held = true;
    return {
      sent: (connectMs) => {
        const time = this.#clock.now();
        this.#limit.sent(given, { time, connectMs });
        if (this.#queue.length > 0) this.#lookAgain(time);
      },
      release: (ending = OTHER) => {
        if (!held) return;
        held = false;
        this.#inFlight--;
        this.#limit.end(given, ending, { inFlight: this.#inFlight, time: this.#clock.now() });
        this.#pool.leave();
        if (ending !== OTHER) this.#onChange();
      },
    };
  }

  /**
   * Those who wait are served as soon as there may be a place for them. At the very `time` at which there was none: a
   * stop that ended since would leave nothing to wait for, and nobody to look again.
   */
  #lookAgain(time: number): void {
    if (this.#cancelTimer) return;
    const ms = this.#limit.untilMore(time);
    if (ms === undefined) return;
    this.#cancelTimer = this.#clock.after(Math.max(SHORTEST_WAIT_MS, ms), () => {
      this.#cancelTimer = undefined;
      this.#pool.serve();
      this.#onChange();
    });
  }
}

/** Resources that are served by the same machines: together they have no more under way than the pool bears. */
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

  /** Gives places while there are any: to the member that has the fewest, so that none starves another. */
  serve(): void {
    // A grant may ask or give back at once: the loop that runs sees to that.
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
