import type { ColumnTimes } from './call-times.ts';
import type { RateSetting } from './permit-source.ts';

/** The state of a model at a moment; plain data from the I/O thread. */
export interface ModelState {
  /** The resource of the plan: a model at a provider, and the kind of request. */
  readonly resource: string;
  /** Requests in flight. */
  readonly inFlight: number;
  /** The most requests in flight, as far as is known now. */
  readonly limit: number;
  /** Requests that wait for a permit. */
  readonly waiting: number;
  /** Milliseconds for which nothing is sent because the endpoint refuses; 0 if requests are sent. */
  readonly pausedMs: number;
  /** The rate per minute for which requests wait now; absent if they wait for none. */
  readonly rateWait?: RateSetting;
  /** The times of its calls, by column; absent before its first call. */
  readonly times?: Readonly<Record<string, ColumnTimes>>;
}

/** The name by which users know the model of a resource: provider and model. */
export function modelOf(resource: string): string {
  return resource.replace(/^\w+\//, '');
}

/** The kinds of requests to models, as the GenAI semantic conventions of OpenTelemetry name them. */
export type ModelOperation = 'chat' | 'embeddings' | 'generate_content';

/** The operations of resources, by the first step of their names. */
const OPERATIONS: Readonly<Record<string, ModelOperation>> = { embedding: 'embeddings', image: 'generate_content' };

/** The kind of request, the provider and the model of a resource. */
interface ModelTarget {
  readonly operation: ModelOperation;
  readonly provider: string;
  readonly model: string;
}

/** What a resource of a plan stands for. */
export function modelTargetOf(resource: string): ModelTarget {
  const [kind = '', provider = '', ...name] = resource.split('/');
  return { operation: OPERATIONS[kind] ?? 'chat', provider: decodeURIComponent(provider), model: name.join('/') };
}

/** At most ten times a second: often enough to watch. */
const LOOK_EVERY_MS = 100;
/** Two computed ends of a pause that differ by less than this are the same. */
const SAME_END_MS = 50;

/**
 * Calls `tell` with the model states when they have changed. Samples the counters of admission, so it costs nothing per
 * request. Does not keep the process alive.
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
    now.rateWait !== before.rateWait ||
    Math.abs(now.pausedMs - left) > SAME_END_MS
  );
}
