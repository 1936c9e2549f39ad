import { DataDesignerError, isFailure } from '@data-designer/core';
import { failureReport } from '@data-designer/declaration';
import { printJson } from './display/print-results.ts';
import type { EnvironmentFile } from './environment-file.ts';
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
    process.stderr.write(
      `It is set in ${path}, but only names that contain KEY, TOKEN or the like are read from there.\n`,
    );
  }
  if (failure.code === 'internal/unexpected' && failure.cause instanceof Error) {
    process.stderr.write(`${failure.cause.stack ?? ''}\n`);
  }
}

/** Reports a run that this machine has left or that was stopped, with how it continues; throws any other failure. */
export async function reportStopped(
  thrown: unknown,
  flags: Pick<ReportOptions, 'json'>,
  sayHowToContinue: () => void,
): Promise<void> {
  if (isFailure(thrown, 'cluster/handed-over'))
    return (await import('./join-command.ts')).printJoined({ ...thrown.data, isOver: false, ended: null }, flags);
  if (!isFailure(thrown, 'run/aborted')) throw thrown;
  if (flags.json) reportFailure(DataDesignerError.fromUnknown(thrown), flags);
  sayHowToContinue();
  process.exitCode = exitCodeOfFailure(thrown);
}
