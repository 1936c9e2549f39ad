import { ATTEMPT_CALLS } from './gateway.ts';

/** Rows without an accepted attempt, for one reason. */
export interface ExhaustedRows {
  /** The result of the last attempt: `until` refused it, a cell failed, it has no score, or all scores are equal. */
  readonly kind: 'refused' | 'failed' | 'no_score' | 'equal_scores';
  /** What the rows have in common: the truth values that `until` read, or the failed column and the code of its failure; may be empty. */
  readonly reason: string;
  /** The number of these rows. */
  readonly rows: number;
  /** The lowest index of these rows in the run. */
  readonly row: number;
  /** The verdict on the last attempt of that row. */
  readonly verdict: string;
}

/** The counts of a block of attempts; they add up over rows, row groups and runs. */
export interface AttemptCounts {
  /** Rows whose attempts have ended. */
  readonly rows: number;
  /** The attempts at these rows. */
  readonly attempts: number;
  /** The attempts that ended with a failed cell. */
  readonly failed: number;
  /** Rows with an accepted attempt, by the number of attempts made: the first count is of rows with one attempt. */
  readonly accepted: readonly number[];
  /** Rows without an accepted attempt, the most frequent reason first. */
  readonly exhausted: readonly ExhaustedRows[];
}

/** The counts of a dataset's blocks of attempts, by name. */
export type AttemptsByBlock = Readonly<Record<string, AttemptCounts>>;

/** The attempt that a call belongs to, from 0. */
export function attemptOfCall(call: number): number {
  return Math.floor(call / ATTEMPT_CALLS);
}

/** The sum of counts; with a sign of -1 their difference. */
export function joinAttempts(one: AttemptsByBlock, other: AttemptsByBlock = {}, sign: 1 | -1 = 1): AttemptsByBlock {
  const joined = { ...one };
  for (const [block, counts] of Object.entries(other)) joined[block] = sumOf(joined[block] ?? NONE, counts, sign);
  return joined;
}

const NONE: AttemptCounts = { rows: 0, attempts: 0, failed: 0, accepted: [], exhausted: [] };

function sumOf(one: AttemptCounts, other: AttemptCounts, sign: 1 | -1): AttemptCounts {
  const longest = Math.max(one.accepted.length, other.accepted.length);
  return {
    rows: one.rows + sign * other.rows,
    attempts: one.attempts + sign * other.attempts,
    failed: one.failed + sign * other.failed,
    accepted: Array.from({ length: longest }, (_, at) => (one.accepted[at] ?? 0) + sign * (other.accepted[at] ?? 0)),
    exhausted: joinExhausted([
      ...one.exhausted,
      ...other.exhausted.map((added) => ({ ...added, rows: sign * added.rows })),
    ]),
  };
}

/** Adds up the rows of each reason; of the verdicts that of the first row stays, in whatever order they come. */
export function joinExhausted(all: readonly ExhaustedRows[]): readonly ExhaustedRows[] {
  const joined = Map.groupBy(all, ({ kind, reason }) => `${kind} ${reason}`);
  return [...joined.values()]
    .flatMap((same) => {
      const rows = same.reduce((sum, one) => sum + one.rows, 0);
      const first = same.reduce((least, one) => (one.row < least.row ? one : least));
      return rows > 0 ? [{ ...first, rows }] : [];
    })
    .toSorted((a, b) => b.rows - a.rows || a.row - b.row);
}
