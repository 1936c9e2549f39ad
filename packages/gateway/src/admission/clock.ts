/** The time of admission; tests replace it to run without waiting. */
export interface Clock {
  /** Milliseconds since a fixed moment; monotonic. */
  readonly now: () => number;
  /** Calls `call` once after so many milliseconds; the returned function cancels that. */
  readonly after: (ms: number, call: () => void) => () => void;
}

/** The longest timer of Node (2^31 - 1 ms); the caller looks again after it. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** The clock of this process; its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, Math.min(Math.ceil(ms), LONGEST_TIMER_MS)).unref();
    return () => clearTimeout(timer);
  },
};
