import type { Clock } from './clock.ts';

/** How often the thread shows that it runs. */
const BEAT_MS = 250;
/** A thread that has not run for this long was suspended, or as good as that. */
const SUSPENDED_MS = 1000;

/**
 * Notices that the thread did not run for a while, before anything is done that relies on the time before: other machines may
 * have taken over its work.
 */
export class SuspensionWatch implements Disposable {
  readonly #clock: Clock;
  readonly #onWake: () => void;
  #ranAt: number;
  #cancel = (): void => {};

  /** `onWake` is called once for each suspension. */
  constructor(clock: Clock, onWake: () => void) {
    this.#clock = clock;
    this.#onWake = onWake;
    this.#ranAt = clock.now();
    this.#beat();
  }

  /** Checks whether the thread was suspended until now. */
  check(time: number): void {
    const wasSuspended = time - this.#ranAt >= SUSPENDED_MS;
    this.#ranAt = time;
    if (wasSuspended) this.#onWake();
  }

  [Symbol.dispose](): void {
    this.#cancel();
  }

  #beat(): void {
    this.#cancel = this.#clock.after(BEAT_MS, () => {
      this.check(this.#clock.now());
      this.#beat();
    });
  }
}
