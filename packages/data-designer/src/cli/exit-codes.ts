import { type FailureCode, isFailure } from '@data-designer/core';
import type { MadeRecords } from '../records/made-records.ts';
import { isWhole } from './display/print-results.ts';

/** What the exit codes of every command mean. Help shows this table, and a test holds the one in the docs to it. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'the command did what it was asked; a run that ended at its own limit (`--max-cost`, `--max-time`) included'],
  [1, 'a failure; also a run that stopped early because too many cells failed'],
  [2, 'a usage error: an unknown option, or a value that it does not take'],
  [3, 'with `--strict`: rows are missing, for example at a limit or because cells failed'],
  [130, 'Ctrl-C, or a run that a signal stopped'],
  [143, 'SIGTERM, where no run is at work'],
];

/** The table as help shows it. */
export function exitCodesInHelp(): string {
  const lines = EXIT_CODES.map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning.replaceAll('`', '')}`);
  return ['Exit codes:', ...lines].join('\n');
}

/** Ends that are no failure of the run: the user set these limits. */
const OWN_LIMITS: ReadonlySet<FailureCode> = new Set(['run/budget-spent', 'run/time-spent']);

/** The exit code of a command that made records. */
export function exitCodeOf(
  results: Pick<MadeRecords, 'count' | 'requested' | 'ended'>,
  { strict = false }: { readonly strict?: boolean } = {},
): number {
  if (results.ended && !OWN_LIMITS.has(results.ended.code)) return 1;
  return strict && !isWhole(results) ? 3 : 0;
}

/** The exit code of a command that failed. */
export function exitCodeOfFailure(thrown: unknown): number {
  return isFailure(thrown, 'run/aborted') ? 130 : 1;
}
