import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command line as it is published; `build-program.ts` builds it before tests run. */
export const program = fileURLToPath(new URL('../packages/data-designer/bin/data-designer.js', import.meta.url));
const published = fileURLToPath(new URL('../packages/data-designer/dist', import.meta.url));

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

type CommandLine = Pick<typeof import('../packages/cli/src/command-line.ts'), 'runCommandLine'>;

/** Where a command runs in this process: variables that are undefined are not set. */
interface Surroundings {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

/**
 * Runs a published command to its end in this process, which saves the start of a process: for tests of messages and files.
 * Await one command before the next: streams, variables and the folder belong to the process. A test of streams, signals or
 * the end of the process needs `dataDesigner`.
 */
export async function runCommand(args: readonly string[], { env = {}, cwd }: Surroundings = {}): Promise<Finished> {
  const file = readdirSync(published).find((name) => /^command-line-[^/]*\.js$/.test(name));
  const { runCommandLine } = (await import(join(published, file ?? 'command-line.js'))) as CommandLine;
  const stdout = captured(process.stdout);
  const stderr = captured(process.stderr);
  const before = { env: { ...process.env }, cwd: process.cwd(), exitCode: process.exitCode };
  try {
    setVariables({ NO_COLOR: '1', ...env });
    if (cwd !== undefined) process.chdir(cwd);
    process.exitCode = undefined;
    const code = await runCommandLine(args);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.exitCode = before.exitCode;
    process.chdir(before.cwd);
    setVariables({ ...Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined])), ...before.env });
    stdout.end();
    stderr.end();
  }
}

function setVariables(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

/** Keeps what is written to a stream of this process instead of showing it, until `end`. */
function captured(stream: NodeJS.WriteStream) {
  const write = stream.write.bind(stream);
  let text = '';
  stream.write = (chunk: Uint8Array | string, ...more: unknown[]): boolean => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const written = more.find((one) => typeof one === 'function');
    if (written) queueMicrotask(written as () => void);
    return true;
  };
  return { text: () => text, end: () => void (stream.write = write) };
}
