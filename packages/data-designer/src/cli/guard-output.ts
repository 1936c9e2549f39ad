import { DataDesignerError, fileReason } from '@data-designer/core';

/**
 * From here on a reader of standard output who has had enough ends the command quietly, with the exit code that it has by
 * then, and output that cannot be written is told and ends it with 1. A reader of standard error may go at any time: a
 * run is worth more than what it says.
 */
export function guardOutput(): void {
  process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
    // Who serves over standard output hears of its end as well, and has runs to bring to theirs.
    if (process.stdout.listenerCount('error') > 1) return;
    if (failure.code === 'EPIPE') process.exit();
    process.stderr.write(`${sayFailure(failure)}\n`);
    process.exit(1);
  });
  process.stderr.on('error', () => undefined);
}

function sayFailure(failure: NodeJS.ErrnoException): string {
  const path = 'standard output';
  const { code, message } =
    failure.code === 'ENOSPC'
      ? new DataDesignerError('dataset/disk-full', { path }, { cause: failure })
      : new DataDesignerError('dataset/unwritable', { path, reason: fileReason(failure) }, { cause: failure });
  return `Error [${code}]: ${message}`;
}
