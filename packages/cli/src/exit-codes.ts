import { constants } from 'node:os';
import { type FailureCode, isFailure } from '@data-designer/core';
import type { MadeRecords } from '@data-designer/results';
import { isWhole } from './display/print-results.ts';

/** The exit codes of all commands. Help and the reference show this table. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'success, also for a run that reached its own limit (`--max-cost`, `--max-time`)'],
  [1, 'a failure; also a run that stopped early because too many cells failed'],
  [2, 'a usage error: an unknown option, or an invalid value'],
  [
    3,
    'with `--strict`: rows are missing, cells failed, or answers have flaws, for example failed tool calls; with `check`: the share of rows with findings is higher than `--max-share`',
  ],
  [130, 'interrupted with Ctrl-C, or a run stopped by a signal'],
  [143, 'stopped by SIGTERM while no run was active'],
];

/** The table as text for help. */
export function exitCodesInHelp(): string {
  const lines = EXIT_CODES.map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning.replaceAll('`', '')}`);
  return ['Exit codes:', ...lines].join('\n');
}

/** Early ends that are no failures: the user set these limits. */
const OWN_LIMITS: ReadonlySet<FailureCode> = new Set(['run/budget-spent', 'run/time-spent']);

/** What counts for the exit code. */
interface ExitOptions {
  readonly strict?: boolean;
  /** The results whose findings count with `strict`: those of a run, or of the stages of a workflow. */
  readonly made?: Iterable<Pick<MadeRecords, 'findings'>>;
}

/** The exit code of a command that made records. */
export function exitCodeOf(
  results: Pick<MadeRecords, 'count' | 'requested' | 'ended'>,
  { strict = false, made = [] }: ExitOptions = {},
): number {
  if (results.ended && !OWN_LIMITS.has(results.ended.code)) return 1;
  return strict && !(isWhole(results) && [...made].every(isFlawless)) ? 3 : 0;
}

/** Whether every cell is what was asked for. */
function isFlawless({ findings: { failedCells, flaws } }: Pick<MadeRecords, 'findings'>): boolean {
  return failedCells.length === 0 && flaws.length === 0;
}

/** The exit code of a machine that has joined a run: also 1 if the run failed on another machine; a stop of others is none. */
export function exitCodeOfJoined({ ended }: Pick<MadeRecords, 'ended'>): number {
  return ended && !OWN_LIMITS.has(ended.code) && ended.code !== 'run/aborted' ? 1 : 0;
}

/** The exit code of a command that failed. */
export function exitCodeOfFailure(thrown: unknown): number {
  if (isFailure(thrown, 'plugin/interrupted')) return 128 + constants.signals[thrown.data.signal];
  return isFailure(thrown, 'run/aborted') ? 130 : 1;
}
