import {
  type CellFailure,
  type CellValue,
  type DataDesignerError,
  type FailureCode,
  isRetryable,
  printable,
  type Random,
  unboxed,
} from '@data-designer/core';
import { endsRun } from '../functions/failure-scope.ts';
import type { RowEnvironments } from '../environments/row-environments.ts';
import type { AttemptedCells } from './group-progress.ts';
import type { AttemptBlock } from './prepare-plan.ts';
import type { OpenRow } from './row-columns.ts';

/** An attempt at the columns of a block that has ended. */
export interface MadeAttempt {
  /** The row with the cells of the attempt. */
  readonly row: OpenRow;
  /** Why it has no values; undefined for a complete attempt. */
  readonly failure: DataDesignerError | undefined;
  /** The failed cells of the attempt. */
  readonly failures: readonly CellFailure[];
  readonly cells: AttemptedCells;
  /** The positions of its skipped columns. */
  readonly skipped: ReadonlySet<number>;
  /** Its worlds; none in a plan without environments. */
  readonly environments?: RowEnvironments | undefined;
}

/** What a row keeps of its attempts: the attempt whose values it has, or why there is none. */
export interface KeptAttempt {
  readonly kept: MadeAttempt | undefined;
  /** The values of the block's own columns, in their order. */
  readonly written: readonly CellValue[];
  /** Why no attempt was accepted; undefined if one was. */
  readonly reason: string | undefined;
}

/** Makes an attempt by its number; undefined where the journal of a dry replay ends within it. */
type MakeAttempt = (number: number) => Promise<MadeAttempt | undefined>;

/** Permanent failures that concern the row: a wrong condition, the end of a journal, a refused candidate, and a server that is down. */
const ENDS_ROW: ReadonlySet<FailureCode> = new Set([
  'attempts/undecided',
  'journal/ends',
  'select/refused',
  'validator/failed',
]);

/** Whether a failed cell ends its attempt alone; other failures concern the row or the run. */
export function endsAttempt(failure: DataDesignerError): boolean {
  return !endsRun(failure) && !isRetryable(failure.code) && !ENDS_ROW.has(failure.code);
}

/**
 * Makes the attempts of a block: one after the other until one is accepted, or as many as there are together. Undefined
 * where the journal of a dry replay ends.
 */
export async function makeAttempts(
  { planned: { keep, max, decision } }: Pick<AttemptBlock, 'planned'>,
  make: MakeAttempt,
): Promise<readonly MadeAttempt[] | undefined> {
  if (keep !== 'first' && max > 1) {
    const settled = await Promise.allSettled(Array.from({ length: max }, (_, number) => make(number)));
    const made: MadeAttempt[] = [];
    for (const one of settled) {
      if (one.status === 'rejected') throw one.reason;
      if (one.value) made.push(one.value);
    }
    return made.length === max ? made : undefined;
  }
  const made: MadeAttempt[] = [];
  for (let number = 0; number < max; number++) {
    const attempt = await make(number);
    if (!attempt) return undefined;
    made.push(attempt);
    if (isAccepted(attempt, decision)) break;
  }
  return made;
}

function isAccepted({ failure, row }: MadeAttempt, decision: string | null): boolean {
  return failure === undefined && decision !== null && row[decision] === 'True';
}

/** What a row keeps of its attempts. `random` draws among attempts with equal scores. */
export function keptOf(block: AttemptBlock, made: readonly MadeAttempt[], random: Random): KeptAttempt {
  const { keep, decision } = block.planned;
  const count = made.length;
  const complete = made.filter(({ failure }) => failure === undefined);
  if (keep === 'first') {
    const last = made.at(-1);
    if (last && isAccepted(last, decision)) return { kept: last, written: [count], reason: undefined };
    return { kept: complete.at(-1), written: [count], reason: last?.failure?.message ?? "'until' refused it." };
  }
  if (keep === 'all') {
    const all = complete.map(({ row }) => valuesOf(block, row));
    return { kept: complete[0], written: [count, all], reason: failureAmong(made, complete) };
  }
  const scored = complete.flatMap((attempt) => {
    const score = scoreOf(attempt, decision);
    return score === undefined ? [] : [{ attempt, score }];
  });
  const scores = scored.map(({ score }) => score);
  const [highest, lowest] = [Math.max(...scores), Math.min(...scores)];
  const drawn = (score: number) => {
    const equal = scored.filter((one) => one.score === score);
    return equal[random.below(equal.length)];
  };
  const best = scored.length > 0 ? drawn(highest) : undefined;
  if (!best) {
    const nothing = keep === 'best' ? [count, null] : [count, null, null, null];
    return { kept: complete.at(-1), written: nothing, reason: failureAmong(made, complete) ?? 'it has no score.' };
  }
  if (keep === 'best') return { kept: best.attempt, written: [count, highest], reason: undefined };
  const worst = drawn(lowest);
  if (highest === lowest || !worst) {
    const reason = `all attempts with a score have the score ${highest}.`;
    return { kept: complete.at(-1), written: [count, highest, null, null], reason };
  }
  const shown = ({ attempt, score }: typeof best) => ({ score, ...valuesOf(block, attempt.row) });
  return { kept: best.attempt, written: [count, highest, shown(best), shown(worst)], reason: undefined };
}

function failureAmong(made: readonly MadeAttempt[], complete: readonly MadeAttempt[]): string | undefined {
  return complete.length > 0 ? undefined : (made.at(-1)?.failure?.message ?? 'it has no values.');
}

function valuesOf({ stored }: AttemptBlock, row: OpenRow): Record<string, CellValue> {
  return Object.fromEntries(stored.map((name) => [name, row[name] ?? null]));
}

/** The score of an attempt; undefined for one without a finite number. */
function scoreOf({ row }: MadeAttempt, decision: string | null): number | undefined {
  const score = decision === null ? undefined : unboxed(row[decision] ?? null);
  return typeof score === 'number' && Number.isFinite(score) ? score : undefined;
}

/** Writes what a row keeps of its attempts; gives the attempt whose values it has. */
export function writeKept(
  { planned: { onExhausted, writes }, written: names }: AttemptBlock,
  row: OpenRow,
  { kept, written, reason, floats }: KeptAttempt & { readonly floats: ReadonlySet<string> },
): MadeAttempt | undefined {
  const standing = reason === undefined || onExhausted === 'keep_last' ? kept : undefined;
  if (standing?.row !== row) for (const name of names) row[name] = standing?.row[name] ?? null;
  writes.forEach(({ name }, at) => void (row[name] = printable(written[at] ?? null, floats.has(name))));
  return standing;
}
