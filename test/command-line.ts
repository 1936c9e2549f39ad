import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The command line as it is published; `build-program.ts` builds it before tests run. */
export const program = fileURLToPath(new URL('../packages/data-designer/bin/data-designer.js', import.meta.url));

/** What a finished command said and how it ended. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command under way: its process, to be stopped, and its end. */
export interface Started {
  readonly child: ChildProcess;
  /** What it has said on standard error so far. */
  readonly said: () => string;
  readonly finished: Promise<Finished>;
}

/** Starts `data-designer` in a process of its own, by way of another command if one is given. */
export function startDataDesigner(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  by: readonly string[] = [],
): Started {
  const words = [...by, process.execPath, program, ...args];
  const child = spawn(words[0] as string, words.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...environment },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, said: () => stderr, finished };
}

/** Runs `data-designer` to its end. */
export function dataDesigner(
  args: readonly string[],
  environment?: Readonly<Record<string, string>>,
): Promise<Finished> {
  return startDataDesigner(args, environment).finished;
}
