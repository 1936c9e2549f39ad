import { DataDesignerError } from '@data-designer/core';
import { onStopSignals } from '../signals.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const EVERY_MS = 80;
const START_OF_CLEAR_LINE = '\r\u001b[K';

/**
 * Runs `work` with a spinner on standard error, if that is a terminal that can redraw a line. On Ctrl-C it aborts the signal
 * and rejects with `run/aborted`, so that a wizard keeps its answers.
 */
export async function withSpinner<Result>(
  text: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stopped = new AbortController();
  const interrupted = Promise.withResolvers<never>();
  using _ = onStopSignals(() => {
    interrupted.reject(new DataDesignerError('run/aborted', { reason: 'by Ctrl-C' }));
    stopped.abort();
  });
  return await Promise.race([interrupted.promise, spinWhile(text, () => work(stopped.signal))]);
}

async function spinWhile<Result>(text: string, work: () => Promise<Result>): Promise<Result> {
  const { stderr } = process;
  if (!stderr.isTTY || process.env.TERM === 'dumb') return await work();
  let turn = 0;
  const draw = (): void => {
    stderr.write(`${START_OF_CLEAR_LINE}${FRAMES[turn++ % FRAMES.length]} ${text} (Ctrl-C stops)`);
  };
  draw();
  const timer = setInterval(draw, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    stderr.write(START_OF_CLEAR_LINE);
  }
}
