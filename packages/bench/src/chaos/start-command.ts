import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../data-designer/bin/data-designer.js', import.meta.url));

/** A command under way. */
export interface StartedCommand {
  readonly child: ChildProcess;
  /** Its exit code, null where it was killed, and what it said on standard error. */
  readonly finished: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** A module that is loaded ahead of a command, and what its environment holds beside that of this process. */
interface CommandSetting {
  readonly preload?: URL;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts the built `data-designer` in a process of its own. */
export function startCommand(args: readonly string[], { preload, environment }: CommandSetting = {}): StartedCommand {
  const ahead = preload ? ['--import', preload.href] : [];
  const child = spawn(process.execPath, [...ahead, program, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...environment, NO_COLOR: '1' },
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const finished = new Promise<{ code: number | null; stderr: string }>((resolve, reject) => {
    child.once('error', reject);
    // Not `close`: a process that outlives the command would hold its standard error open.
    child.once('exit', (code) => resolve({ code, stderr }));
  });
  return { child, finished };
}
