import { DataDesignerError, isFailure, isForAll } from '@data-designer/core';
import { failureReport } from '@data-designer/declaration';
import { printJson } from './display/print-results.ts';
import { type EnvironmentFile, ONLY_KEYS } from './environment-file.ts';
import { exitCodeOfFailure } from './exit-codes.ts';

/** How to report a failure. */
interface ReportOptions {
  readonly json: boolean;
  readonly environmentFile?: EnvironmentFile | undefined;
}

/** Reports a failed command: as text on standard error, or with `--json` as one object on standard output. */
export function reportFailure(failure: DataDesignerError, { json, environmentFile }: ReportOptions): void {
  if (json) printJson({ error: failureReport(failure) });
  else if (failure.code === 'run/aborted') process.stderr.write('Interrupted. Nothing is saved.\n');
  else process.stderr.write(`Error [${failure.code}]: ${failure.message}\n`);
  if (environmentFile && isFailure(failure, 'secret/missing') && environmentFile.leftOut.includes(failure.data.name)) {
    const { path } = environmentFile;
    process.stderr.write(`It is set in ${path}, ${ONLY_KEYS}.\n`);
  }
  if (failure.code === 'internal/unexpected' && failure.cause instanceof Error) {
    process.stderr.write(`${failure.cause.stack ?? ''}\n`);
  }
}

/** How a stopped run continues. */
interface Continuation {
  /** Says it after an interrupt. */
  readonly sayHowToContinue: () => void;
  /** What is saved after an end that loses nothing, and the command that continues; empty before the run began. */
  readonly continuation?: (ended: DataDesignerError) => string;
}

/** Limits that end a run: it continues once they are raised. */
const LIMITS: ReadonlySet<string> = new Set(['run/budget-spent', 'run/time-spent']);

/**
 * Reports a run that this machine has left, that was stopped, that reached a limit before its first row, or whose endpoint
 * fails every request, with how it continues; throws any other failure.
 */
export async function reportStopped(
  thrown: unknown,
  flags: Pick<ReportOptions, 'json'>,
  { sayHowToContinue, continuation = () => '' }: Continuation,
): Promise<void> {
  if (isFailure(thrown, 'cluster/handed-over'))
    return (await import('./join-command.ts')).printJoined({ ...thrown.data, isOver: false, ended: null }, flags);
  if (!isFailure(thrown, 'run/aborted')) {
    const ended = DataDesignerError.fromUnknown(thrown);
    const next = (isForAll(ended) || LIMITS.has(ended.code)) && !flags.json ? continuation(ended) : '';
    if (next === '') throw thrown;
    reportFailure(ended, flags);
    process.stderr.write(`${next}\n`);
    process.exitCode = exitCodeOfFailure(thrown);
    return;
  }
  if (flags.json) reportFailure(DataDesignerError.fromUnknown(thrown), flags);
  sayHowToContinue();
  process.exitCode = exitCodeOfFailure(thrown);
}
