import { unlessAborted } from './tool-session.ts';

/** A session that holds a place while it is open. */
export interface PlaceHolder {
  /** Ends the session; the next use opens another. */
  rest(): Promise<void>;
}

/** Uses that wait for the place of one holder. */
interface Waiting {
  uses: number;
  readonly place: PromiseWithResolvers<void>;
}

/**
 * The places of the sessions that are open at a time. A use without a place takes a free one, else that of the session which
 * has been idle for longest, else waits for one to become idle.
 */
export class SessionPlaces {
  readonly #most: number;
  /** The uses of each holder; the idle ones in the order in which they became idle. */
  readonly #holders = new Map<PlaceHolder, number>();
  readonly #waiting = new Map<PlaceHolder, Waiting>();
  #taken = 0;
  /** Sessions that are ending. */
  #ending = 0;
  #isOver = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs work while the holder has a place; rejects with `run/aborted` while it waits for one. */
  async use<Result>(
    holder: PlaceHolder,
    work: () => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const entered = this.#enter(holder);
    try {
      await unlessAborted(entered, signal);
    } catch (thrown) {
      void entered.then(() => this.#leave(holder));
      throw thrown;
    }
    try {
      return await work();
    } finally {
      this.#leave(holder);
    }
  }

  /** Ends the session of a holder, unless it is in use. */
  async rest(holder: PlaceHolder): Promise<void> {
    if (this.#holders.get(holder) === 0) await this.#end(holder);
  }

  /** Lets all uses go on, because no more sessions are opened. */
  close(): void {
    this.#isOver = true;
    this.#admit();
  }

  #enter(holder: PlaceHolder): Promise<void> {
    const uses = this.#holders.get(holder);
    const waiting = this.#waiting.get(holder);
    if (waiting) waiting.uses++;
    else if (uses === undefined) this.#waiting.set(holder, { uses: 1, place: Promise.withResolvers() });
    else this.#holders.set(holder, uses + 1);
    if (uses !== undefined) return Promise.resolve();
    const { promise } = waiting?.place ?? (this.#waiting.get(holder) as Waiting).place;
    this.#admit();
    this.#makeRoom();
    return promise;
  }

  #leave(holder: PlaceHolder): void {
    const uses = (this.#holders.get(holder) ?? 1) - 1;
    if (uses === 0) this.#holders.delete(holder);
    this.#holders.set(holder, uses);
    this.#makeRoom();
  }

  /** Gives free places to those that have waited for longest. */
  #admit(): void {
    for (const [holder, { uses, place }] of this.#waiting) {
      if (this.#taken >= this.#most && !this.#isOver) return;
      this.#taken++;
      this.#waiting.delete(holder);
      this.#holders.set(holder, uses);
      place.resolve();
    }
  }

  /** Ends the sessions that have been idle for longest, one for each that waits. */
  #makeRoom(): void {
    for (const [holder, uses] of this.#holders) {
      if (this.#ending >= this.#waiting.size) return;
      if (uses === 0) void this.#end(holder);
    }
  }

  async #end(holder: PlaceHolder): Promise<void> {
    this.#holders.delete(holder);
    this.#ending++;
    await holder.rest();
    this.#ending--;
    this.#taken--;
    this.#admit();
  }
}
