/** Bytes of all answers that are being read, over all endpoints; above it, reading the newer ones is paused. */
const MOST_BYTES = 256_000_000;

/** One answer that is being read. */
interface Share {
  bytes: number;
  isPaused: boolean;
  readonly pause: () => void;
  readonly resume: () => void;
}

/** Counts the bytes of one answer; disposing it releases them. */
export interface AnswerShare extends Disposable {
  /** Counts bytes that were received or unpacked. */
  readonly add: (bytes: number) => void;
}

/**
 * Bounds the memory of all answers that are being read. No answer fails for lack of memory: reading is paused, and the
 * oldest answer always continues, so all arrive one after the other.
 */
export class AnswerMemory {
  readonly #most: number;
  readonly #shares = new Set<Share>();
  #used = 0;

  constructor(most = MOST_BYTES) {
    this.#most = most;
  }

  /** Starts an answer, whose reading `pause` and `resume` control. */
  open(reading: { readonly pause: () => void; readonly resume: () => void }): AnswerShare {
    const share: Share = { bytes: 0, isPaused: false, ...reading };
    this.#shares.add(share);
    return { add: (bytes) => this.#add(share, bytes), [Symbol.dispose]: () => this.#end(share) };
  }

  #add(share: Share, bytes: number): void {
    if (!this.#shares.has(share)) return;
    share.bytes += bytes;
    this.#used += bytes;
    if (share.isPaused || this.#used <= this.#most || this.#oldest === share) return;
    share.isPaused = true;
    share.pause();
  }

  #end(share: Share): void {
    if (!this.#shares.delete(share)) return;
    this.#used -= share.bytes;
    for (const one of this.#shares) {
      if (this.#used > this.#most && one !== this.#oldest) return;
      if (!one.isPaused) continue;
      one.isPaused = false;
      one.resume();
    }
  }

  get #oldest(): Share | undefined {
    for (const share of this.#shares) return share;
    return undefined;
  }
}
