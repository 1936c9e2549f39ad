import { DataDesignerError, fileReason } from '@data-designer/core';

/**
 * Exits quietly when the reader of standard output closes the pipe, and with 1 and a message when output cannot be
 * written. A closed standard error is ignored: the run continues without its messages. So is a closed terminal, of which a
 * signal tells.
 */
export function guardOutput(): void {
  process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
    // A server over standard output handles this itself: it drains its runs first.
    if (process.stdout.listenerCount('error') > 1) return;
    if (failure.code === 'EPIPE') process.exit();
    if (failure.code === 'EIO' && process.stdout.isTTY) return;
    process.stderr.write(`${describeFailure(failure)}\n`);
    process.exit(1);
  });
  process.stderr.on('error', () => undefined);
}

function describeFailure(failure: NodeJS.ErrnoException): string {
  const path = 'standard output';
  const { code, message } =
    failure.code === 'ENOSPC'
      ? new DataDesignerError('dataset/disk-full', { path }, { cause: failure })
      : new DataDesignerError('dataset/unwritable', { path, reason: fileReason(failure) }, { cause: failure });
  return `Error [${code}]: ${message}`;
}
