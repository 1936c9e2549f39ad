import type { AttemptCounts, ExhaustedRows, Plan, PlannedAttempts } from '@data-designer/core';
import type { PricedUsage } from '@data-designer/models';
import type { RunSummary } from './run-summary.ts';

/** The figures of a block of attempts. */
export interface AttemptFigures {
  /** Which attempts its rows keep. */
  readonly keep: 'first' | 'all' | 'best' | 'pair';
  /** The most attempts at a row. */
  readonly max: number;
  /** Rows whose attempts have ended. */
  readonly rows: number;
  /** The attempts at these rows. */
  readonly attempts: number;
  /** The attempts that ended with a failed cell. */
  readonly failedAttempts: number;
  /** Rows with an accepted attempt. Without `until`: rows for which the block kept a result. */
  readonly accepted: number;
  /** Rows accepted at attempt 1, 2, … `max`; null unless the block keeps the first accepted attempt. */
  readonly acceptedAt: readonly number[] | null;
  /** pass@1, pass@2, … pass@`max`: the share of rows accepted by that attempt; null as `acceptedAt`, and before the first row. */
  readonly passAt: readonly number[] | null;
  /** The share of attempts that were accepted; null as `passAt`. */
  readonly passRate: number | null;
  /** Rows without an accepted attempt, the most frequent reason first, with the verdict on the last attempt of their first row. */
  readonly exhausted: readonly ExhaustedRows[];
  /** Attempts for each accepted row; null without one. */
  readonly attemptsPerAccepted: number | null;
  /** The cost of the block's columns for each accepted row; null without one, and if a model has no price. */
  readonly costPerAccepted: number | null;
}

const NONE: AttemptCounts = { rows: 0, attempts: 0, failed: 0, accepted: [], exhausted: [] };

/** The figures of the blocks of attempts of a plan, by name and in its order. */
export function attemptFigures(
  plan: Pick<Plan, 'attempts' | 'models' | 'profilers'>,
  summary: Pick<RunSummary, 'attempts' | 'pricedUsage'>,
): Readonly<Record<string, AttemptFigures>> {
  if (!plan.attempts) return {};
  const usage = summary.pricedUsage(plan);
  const counts = summary.attempts;
  return Object.fromEntries(
    plan.attempts.map((block) => [block.name, figuresOf(block, counts[block.name] ?? NONE, costOf(block, usage))]),
  );
}

/** How many attempts a row takes on average, if each is accepted with this probability (a geometric distribution, cut off). */
export function expectedAttempts(passRate: number, max: number): number {
  return passRate > 0 ? (1 - (1 - passRate) ** max) / passRate : max;
}

function figuresOf(
  { keep, max }: PlannedAttempts,
  { rows, attempts, failed, accepted: byAttempts, exhausted }: AttemptCounts,
  cost: number | null,
): AttemptFigures {
  const accepted = byAttempts.reduce((sum, count) => sum + count, 0);
  const acceptedAt = keep === 'first' ? Array.from({ length: max }, (_, at) => byAttempts[at] ?? 0) : null;
  return {
    keep,
    max,
    rows,
    attempts,
    failedAttempts: failed,
    accepted,
    acceptedAt,
    passAt: acceptedAt && rows > 0 ? sharesOf(acceptedAt, rows) : null,
    passRate: acceptedAt && attempts > 0 ? accepted / attempts : null,
    exhausted,
    attemptsPerAccepted: accepted > 0 ? attempts / accepted : null,
    costPerAccepted: accepted > 0 && cost !== null ? cost / accepted : null,
  };
}

function sharesOf(acceptedAt: readonly number[], rows: number): readonly number[] {
  let accepted = 0;
  return acceptedAt.map((count) => (accepted += count) / rows);
}

/** The cost of the columns of a block; null where one is unknown. */
function costOf({ columns }: PlannedAttempts, usage: Readonly<Record<string, PricedUsage>>): number | null {
  const inside = new Set(columns);
  const costs = Object.values(usage)
    .flatMap(({ columns: byColumn }) => Object.entries(byColumn))
    .filter(([column]) => inside.has(column))
    .flatMap(([, byPurpose]) => Object.values(byPurpose).map(({ cost }) => cost));
  return costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}
