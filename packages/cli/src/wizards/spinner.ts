import { DataDesignerError } from '@data-designer/core';
import { onStopSignals } from '../signals.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const EVERY_MS = 80;
const START_OF_CLEAR_LINE = '\r\u001b[K';

/**
 * Runs `work` with a spinner on standard error, if that is a terminal that can redraw a line. On Ctrl-C it aborts the signal
 * and rejects with `run/aborted` at once, so that a wizard keeps its answers.
 */
export async function withSpinner<Result>(
  text: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stopped = new AbortController();
  const interrupted = Promise.withResolvers<never>();
  const handler = onStopSignals(() => {
    interrupted.reject(new DataDesignerError('run/aborted', { reason: 'by Ctrl-C' }));
    stopped.abort();
  });
  const clear = drawSpinner(text);
  try {
    return await Promise.race([interrupted.promise, work(stopped.signal)]);
  } finally {
    clear();
    handler[Symbol.dispose]();
  }
}

/** Draws a spinner; returns a function that removes it. */
function drawSpinner(text: string): () => void {
  const { stderr } = process;
  if (!stderr.isTTY || process.env.TERM === 'dumb') return () => {};
  let turn = 0;
  const draw = (): void => {
    stderr.write(`${START_OF_CLEAR_LINE}${FRAMES[turn++ % FRAMES.length]} ${text} (Ctrl-C stops)`);
  };
  draw();
  const timer = setInterval(draw, EVERY_MS);
  return () => {
    clearInterval(timer);
    stderr.write(START_OF_CLEAR_LINE);
  };
}
