import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { until } from '../packages/mcp/test/providers.ts';
import { program } from './command-line.ts';

/** Runs a command in a pseudo-terminal (util-linux). */
const PSEUDO_TERMINAL = '/usr/bin/script';

/** Whether this machine can run a command in a pseudo-terminal. */
export const hasTerminals = existsSync(PSEUDO_TERMINAL) && process.platform === 'linux';

export const ENTER = '\r';
export const DOWN = '\u001b[B';

/** A command in a pseudo-terminal, and what stands on its screen since the last question. */
export class Terminal {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | null>;
  #shown = '';

  constructor(args: readonly string[], environment: Readonly<Record<string, string>>) {
    const words = [process.execPath, program, ...args];
    // With exec: a shell that waits for the command would itself end on Ctrl-C, with code 130.
    const command = `exec ${words.map((word) => `'${word}'`).join(' ')}`;
    const env = { ...process.env, TERM: 'xterm', ...environment };
    this.#child = spawn(PSEUDO_TERMINAL, ['-qec', command, '/dev/null'], { env });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.#shown += text));
    this.ended = new Promise((resolve) => this.#child.on('close', resolve));
  }

  get shown(): string {
    return stripVTControlCharacters(this.#shown);
  }

  /** Waits for a question and answers it with keys. */
  async answer(question: RegExp, keys: string): Promise<void> {
    await until(() => question.test(this.shown));
    this.#shown = '';
    this.#child.stdin.write(keys);
  }
}
