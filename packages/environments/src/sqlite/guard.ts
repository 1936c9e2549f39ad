import { MOST_MEMORY, MOST_MS, MOST_STEPS, STEPS_PER_LOOK } from './limits.ts';

/** What statements of a guard may use. */
export interface GuardOptions {
  /** The seed of their random numbers: the same in every run. */
  readonly seed: readonly number[];
  /** The time in ms since 1970; undefined where there is none. */
  readonly now: number | undefined;
  /** The reason to give where statements ask for a time that is not there; that of an environment unless given. */
  readonly noTime?: string;
  /** Whether they are this package's own, which may ask for the shape of tables. */
  readonly isOwn?: boolean;
  /** The time that they may take, in ms of this thread's work; a few seconds unless given. */
  readonly mostMs?: number;
  /** The bytes that SQLite holds in this thread. */
  readonly memoryUsed: () => number;
}

/** Action codes of SQLite's authorizer that reach beyond the tables of the database. */
const DENIED: ReadonlyMap<number, string> = new Map([
  ...[3, 4, 5, 6].map((temporary) => [temporary, 'temporary tables are not allowed: use plain tables'] as const),
  [19, 'PRAGMA is not allowed'],
  [22, 'transactions are not allowed: the statements are one already'],
  [24, 'ATTACH is not allowed'],
  [25, 'DETACH is not allowed'],
  [29, 'virtual tables are not allowed'],
  [32, 'savepoints are not allowed: the statements are one transaction'],
]);
const NO_TIME = "it asks for the time, which differs between runs; give the environment a time with the key 'now'";
const FUNCTION = 31;
const DENIED_FUNCTIONS: ReadonlySet<string> = new Set([
  'load_extension',
  'fts3_tokenizer',
  'sqlite_log',
  // It counts what was taken back too.
  'total_changes',
]);

/** Watches the statements of one call: what they may do, their steps and their memory. */
export class Guard {
  /** Why they were stopped. */
  reason: string | undefined;
  /** Whether they were stopped for their time, which differs between runs. */
  isLate = false;
  readonly #options: GuardOptions;
  readonly #before: number;
  /** The bytes that they added, at the look that found most of them. */
  memoryBytes = 0;
  #looks = 0;
  readonly #since = performance.now();
  readonly #usedBefore = usedMs();

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#before = options.memoryUsed();
  }

  /** Whether a statement may do something; asked while it is compiled. */
  allows(action: number, second: string | null): boolean {
    if (this.#options.isOwn) return true;
    const reason = DENIED.get(action);
    const isDenied = action === FUNCTION && DENIED_FUNCTIONS.has(second?.toLowerCase() ?? '');
    if (reason === undefined && !isDenied) return true;
    this.reason ??= reason ?? `the function ${second ?? ''} is not allowed`;
    return false;
  }

  /** Asked every `STEPS_PER_LOOK` steps. */
  mayGoOn(): boolean {
    this.lookAtMemory();
    if (++this.#looks * STEPS_PER_LOOK > MOST_STEPS) this.reason ??= `it takes more than ${MOST_STEPS} steps of SQLite`;
    else if (this.memoryBytes > MOST_MEMORY) this.reason ??= `it needs more than ${MOST_MEMORY} bytes of memory`;
    else this.#lookAtTime();
    return this.reason === undefined;
  }

  /** Asked at each look, and once at the end for statements that are shorter. */
  lookAtMemory(): void {
    this.memoryBytes = Math.max(this.memoryBytes, this.#options.memoryUsed() - this.#before);
  }

  #lookAtTime(): void {
    const { mostMs = MOST_MS } = this.#options;
    // The clock costs less than the work of the thread.
    if (performance.now() - this.#since <= mostMs || usedMs() - this.#usedBefore <= mostMs) return;
    this.isLate = this.reason === undefined;
    this.reason ??= `it takes more than ${mostMs / 1000} s`;
  }

  /** The time in ms since 1970; undefined where there is none, and the statement fails. */
  askClock(): number | undefined {
    const { now, noTime = NO_TIME } = this.#options;
    if (now === undefined) this.reason ??= noTime;
    return now;
  }

  /** The seed of SQLite's random numbers. */
  get seed(): readonly number[] {
    return this.#options.seed;
  }
}

/** The time in ms that this thread has worked; before Node 23.9 the time on the clock. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? { user: performance.now() * 1000, system: 0 };
  return (user + system) / 1000;
}
