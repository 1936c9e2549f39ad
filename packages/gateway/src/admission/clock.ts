/** Time as the admission law sees it, so that the law can be run through in no time. */
export interface Clock {
  /** Milliseconds since some moment; never goes back. */
  readonly now: () => number;
  /** Calls back once after so many milliseconds; the returned function withdraws that. */
  readonly after: (ms: number, call: () => void) => () => void;
}

/** Timers wait no longer than this (2^31 - 1 ms); what is later is looked at again then. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** The clock of this process; its timers keep no process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, Math.min(Math.ceil(ms), LONGEST_TIMER_MS)).unref();
    return () => clearTimeout(timer);
  },
};
