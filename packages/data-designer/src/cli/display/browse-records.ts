import { emitKeypressEvents } from 'node:readline';
import { styleText } from 'node:util';
import type { RecordDisplay, SampleRecordOptions } from '../../records/sample-record/record-display.ts';

/** A key as `node:readline` tells it. */
interface Key {
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
}

/** Where somebody sits. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly setRawMode: (isRaw: boolean) => unknown };
  readonly output: NodeJS.WritableStream;
}

const STEPS: Readonly<Record<string, number>> = { n: 1, return: 1, enter: 1, right: 1, p: -1, left: -1 };

/** The terminal that somebody could browse at; undefined where nobody sits there. */
export function ownTerminal(): Terminal | undefined {
  const { stdin, stdout } = process;
  return stdin.isTTY && stdout.isTTY ? { input: stdin, output: stdout } : undefined;
}

/** Shows one record at a time and waits for a key: the next, the one before, or the end. The first comes after the last. */
export async function browseRecords(
  display: RecordDisplay,
  terminal: Terminal,
  { first, ...options }: SampleRecordOptions & { readonly first: number },
): Promise<void> {
  const { output } = terminal;
  using keys = readKeys(terminal);
  for (let index = first; ;) {
    output.write(await display.text(index, options));
    output.write(styleText('dim', `${index + 1} of ${display.count}   n next   p previous   q end `));
    const step = await keys.next();
    // The line of keys goes; records stay above each other, so that one can scroll back.
    output.write('\r\u001b[K');
    if (step === 0) return;
    index = (index + step + display.count) % display.count;
  }
}

/** The steps that keys mean, 0 for the end; the terminal is as it was once this is disposed of. */
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
    next: () =>
      new Promise((resolve) => (pressed.length > 0 ? resolve(pressed.shift() as number) : (waiting = resolve))),
    [Symbol.dispose]: () => {
      input.off('keypress', take).off('end', end);
      input.setRawMode(false);
      input.pause();
    },
  };
}
