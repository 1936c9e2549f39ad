import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DataDesignerError, messageOf, systemCode } from '@data-designer/core';
import { onStopSignals, type StopSignal } from '../signals.ts';
import { shellWord } from '@data-designer/printing';

/** A command line of a package manager, and its folder. */
export interface ManagerRun {
  readonly words: readonly string[];
  readonly folder: string;
  /** Whether standard output must stay free for JSON. */
  readonly json: boolean;
}

/** A command line as a user would type it. */
export function printCommand(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** What the npm that started this program tells its children about the folder in which it works itself. */
const OF_OTHER_FOLDERS = /^npm_config_(?:local_prefix|workspaces?)$/i;

/**
 * Runs a package manager to its end with the terminal of this program. Throws `plugin/manager-failed`, or
 * `plugin/interrupted` after Ctrl-C or SIGTERM, once the package manager has ended; a second signal kills it.
 */
export async function runManager({ words: [program = '', ...args], folder, json }: ManagerRun): Promise<void> {
  const command = printCommand([program, ...args]);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_OTHER_FOLDERS.test(name)));
  // Windows starts npm.cmd by its shell only; a requirement contains no quote.
  const shell = process.platform === 'win32';
  const given = shell ? args.map((word) => `"${word}"`) : args;
  let interrupt: StopSignal | undefined;
  using _ = onStopSignals((name) => {
    child.kill(interrupt === undefined ? name : 'SIGKILL');
    interrupt ??= name;
  });
  // Signals are handled before the package manager starts, so that none ends this program alone.
  const child = spawn(program, given, { cwd: folder, env, shell, stdio: ['inherit', json ? 2 : 'inherit', 2] });
  try {
    const [code, signal] = await once(child, 'close');
    if (interrupt) throw new DataDesignerError('plugin/interrupted', { command, folder, signal: interrupt });
    if (code === 0) return;
    const end = signal === null ? `it ended with the exit code ${String(code)}` : `${String(signal)} ended it`;
    throw new DataDesignerError('plugin/manager-failed', { command, folder, reason: end });
  } catch (thrown) {
    if (thrown instanceof DataDesignerError) throw thrown;
    const reason = systemCode(thrown) === 'ENOENT' ? `there is no program ${program}` : messageOf(thrown);
    throw new DataDesignerError('plugin/manager-failed', { command, folder, reason }, { cause: thrown });
  }
}
