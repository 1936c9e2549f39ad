import { setTimeout as sleep } from 'node:timers/promises';

/** How long machines may be silent, in whole milliseconds: Redis refuses fractions. All machines of a run use the same. */
export interface Timing {
  /** How long a machine holds a row group without renewing it. */
  readonly leaseMs: number;
  /** How often the queue checks for row groups whose lease is over. */
  readonly stalledMs: number;
  /** How long the coordinator may be silent before another machine takes over. */
  readonly coordinatorMs: number;
  /** How long the report of a machine counts. */
  readonly silenceMs: number;
  /** How often machines report, and the coordinator polls. */
  readonly beatMs: number;
  /** How long a machine that has lost Redis may take to connect and to report again. */
  readonly reconnectMs: number;
}

/** The longest pause before a machine tries again to connect to Redis. */
export const LONGEST_PAUSE_MS = 2000;
/** How long a machine that is connected again may take to report. */
const REPORT_MS = 1000;

/** How long a machine waits for its attempts to end where nothing depends on them: its requests alone have 30 s. */
export const STOP_MS = 45_000;

/** Waits for work at most this long, and for its failure no longer: Redis may be away. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work.catch(() => {}), sleep(ms, undefined, { ref: false })]);
}

/** The timing of a lease: 30 s unless given. The other times are shares of it. Every time for Redis comes from here. */
export function timingOf(leaseMs = 30_000): Timing {
  const part = (count: number): number => Math.max(1, Math.round(leaseMs / count));
  return {
    leaseMs: part(1),
    stalledMs: part(3),
    coordinatorMs: part(2),
    silenceMs: part(3),
    beatMs: part(30),
    reconnectMs: LONGEST_PAUSE_MS + REPORT_MS,
  };
}

/**
 * How long a machine waits for a coordinator before it takes the place. One that no coordinator has accepted waits for
 * others: its folder may be another one.
 */
export function patienceOf({ coordinatorMs, reconnectMs }: Timing, isAccepted: boolean): number {
  return Math.max(reconnectMs, isAccepted ? coordinatorMs / 2 : coordinatorMs * 2);
}
