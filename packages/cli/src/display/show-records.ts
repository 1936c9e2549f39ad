import { emitKeypressEvents } from 'node:readline';
import { styleText } from 'node:util';
import type { RecordDisplay, SampleRecordOptions } from '@data-designer/results';
import type { RecordFlags } from '../flags/record-flags.ts';

/** A key press, as `node:readline` reports it. */
interface Key {
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
}

/** An interactive terminal. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly setRawMode: (isRaw: boolean) => unknown };
  readonly output: NodeJS.WritableStream;
}

const STEPS: Readonly<Record<string, number>> = { n: 1, return: 1, enter: 1, right: 1, p: -1, left: -1 };

/** The records to show. */
interface ShownRange {
  /** Position of the first record. */
  readonly first: number;
  readonly count: number;
}

/** Lets the user browse records, or prints them without a terminal or with `--non-interactive`. */
export async function showRecords(
  display: RecordDisplay,
  { displayWidth, nonInteractive }: RecordFlags,
  { first, count }: ShownRange,
): Promise<void> {
  const end = Math.min(first + count, display.count);
  const terminal = nonInteractive === true ? undefined : interactiveTerminal();
  if (terminal && end - first > 1) return browseRecords(display, terminal, { displayWidth, first });
  for (let index = first; index < end; index++) process.stdout.write(await display.text(index, { displayWidth }));
}

/** The terminal of this process; undefined if input or output is redirected. */
function interactiveTerminal(): Terminal | undefined {
  const { stdin, stdout } = process;
  return stdin.isTTY && stdout.isTTY ? { input: stdin, output: stdout } : undefined;
}

/** Shows one record at a time; keys step forward and back, from the last record to the first, or quit. */
export async function browseRecords(
  display: RecordDisplay,
  terminal: Terminal,
  { first, ...options }: SampleRecordOptions & { readonly first: number },
): Promise<void> {
  const { output } = terminal;
  using keys = readKeys(terminal);
  for (let index = first; ;) {
    output.write(await display.text(index, options));
    output.write(styleText('dim', `${index + 1} of ${display.count}   n next   p previous   q quit `));
    const step = await keys.next();
    // Removes the line of keys; earlier records stay, so that the user can scroll back.
    output.write('\r\u001b[K');
    if (step === 0) return;
    index = (index + step + display.count) % display.count;
  }
}

/** Reads keys as steps, 0 to quit, in raw mode; restores the terminal when disposed of. */
function readKeys({ input }: Terminal): Disposable & { readonly next: () => Promise<number> } {
  const pressed: number[] = [];
  let waiting: ((step: number) => void) | undefined;
  const give = (step: number): void => {
    if (!waiting) return void pressed.push(step);
    waiting(step);
    waiting = undefined;
  };
  const take = (_: string | undefined, { name = '', ctrl = false }: Key): void => {
    const isEnd = name === 'q' || name === 'escape' || (ctrl && (name === 'c' || name === 'd'));
    const step = isEnd ? 0 : ctrl ? undefined : STEPS[name];
    if (step !== undefined) give(step);
  };
  const end = (): void => give(0);
  emitKeypressEvents(input);
  input.setRawMode(true);
  input.on('keypress', take).once('end', end).resume();
  return {
    next: () => {
      const step = pressed.shift();
      return step === undefined ? new Promise((resolve) => (waiting = resolve)) : Promise.resolve(step);
    },
    [Symbol.dispose]: () => {
      input.off('keypress', take).off('end', end);
      input.setRawMode(false);
      input.pause();
    },
  };
}
