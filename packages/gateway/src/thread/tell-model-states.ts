import type { ModelState } from './model-state.ts';

/** Ten times a second at most: as often as an eye wants to know. */
const LOOK_EVERY_MS = 100;
/** Ends of a pause that are no further apart than this are one: it is worked out anew at each look. */
const SAME_END_MS = 50;

/**
 * Has told how models stand, while something of it changes. Nothing is done per request: what admission counts anyway is
 * looked at now and then. Keeps no process alive.
 */
export function tellModelStates(
  look: () => readonly ModelState[],
  tell: (models: readonly ModelState[]) => void,
): Disposable {
  let told: readonly ModelState[] = [];
  let toldAt = 0;
  const timer = setInterval(() => {
    const time = performance.now();
    const now = look();
    if (!now.some((state, index) => differs(state, told[index], time - toldAt))) return;
    told = now;
    toldAt = time;
    tell(now);
  }, LOOK_EVERY_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function differs(now: ModelState, before: ModelState | undefined, elapsedMs: number): boolean {
  if (!before) return true;
  const left = Math.max(0, before.pausedMs - elapsedMs);
  return (
    now.inFlight !== before.inFlight ||
    now.limit !== before.limit ||
    now.waiting !== before.waiting ||
    Math.abs(now.pausedMs - left) > SAME_END_MS
  );
}
