/** How a model stands at a moment: plain data, told by the I/O thread. */
export interface ModelState {
  /** The resource of the plan: a model at a provider, and what it is asked for. */
  readonly resource: string;
  /** Requests under way. */
  readonly inFlight: number;
  /** How many of them there may be, as far as is known now. */
  readonly limit: number;
  /** Requests that wait for a place. */
  readonly waiting: number;
  /** For so many ms nothing is sent, as the endpoint refuses; 0 where that is not so. */
  readonly pausedMs: number;
}

/** The name by which users know the model of a resource: provider and model. */
export function modelOf(resource: string): string {
  return resource.replace(/^\w+\//, '');
}

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
