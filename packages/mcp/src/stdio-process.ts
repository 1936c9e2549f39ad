import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StdioToolProvider } from './provider.ts';
import { SessionFault } from './tool-session.ts';

const WINDOWS = process.platform === 'win32';
const STDERR_KEPT = 4_096;
/** How long the end of stdout is awaited after an exit, or the exit after a broken pipe. */
const DRAIN_MS = 200;

/**
 * The child process of a stdio tool server as an MCP transport: one JSON message a line. The process leads a group of
 * its own, so that a Ctrl-C meant for the run does not reach it, and so that it ends together with its children.
 */
export class StdioProcess {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: unknown) => void) | undefined;
  readonly #provider: StdioToolProvider;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #graceMs: number;
  #child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  #closed = false;
  /** Whether the process has ended and nobody holds its pipes, as a server behind a shell still may. */
  #silent = false;
  #ending: string | undefined;
  #stderr = '';
  #line: string[] = [];

  constructor(provider: StdioToolProvider, environment: Readonly<Record<string, string>>, graceMs: number) {
    this.#provider = provider;
    this.#environment = environment;
    this.#graceMs = graceMs;
  }

  /** The last it wrote to stderr, as a part of a sentence; empty if nothing. */
  get stderr(): string {
    const text = this.#stderr.trim();
    return text && `; stderr: ${text}`;
  }

  /** How the process ended, with the last it wrote to stderr; undefined while it runs. */
  get lastWords(): string | undefined {
    return this.#ending === undefined ? undefined : `${this.#ending}${this.stderr}`;
  }

  async start(): Promise<void> {
    const child = this.#spawn();
    this.#child = child;
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT);
    });
    // Each sender hears of it through its write.
    child.stdin.on('error', () => undefined);
    child.once('exit', (code, signal) => this.#exited(code, signal));
    child.once('close', () => {
      this.#silent = true;
      this.#close();
    });
    try {
      await once(child, 'spawn');
    } catch (cause) {
      throw new SessionFault('disconnected', spawnFailure(this.#provider.command, cause), { cause });
    }
    child.on('error', (error) => this.onerror?.(error));
  }

  async send(message: unknown): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#closed) throw this.#lost();
    const cause = await written(child.stdin, `${JSON.stringify(message)}\n`);
    if (cause === undefined) return;
    if (this.#ending === undefined) await within(child, 'exit', DRAIN_MS);
    throw this.#lost(cause);
  }

  /** Ends the process and its children: its stdin first, then SIGTERM, then SIGKILL, each after the grace time. */
  async close(): Promise<void> {
    this.#close();
    const child = this.#child;
    if (child?.pid === undefined) return;
    child.stdin.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await this.#silentWithin(this.#graceMs)) return;
      this.#signal(signal);
    }
    await this.#silentWithin(this.#graceMs);
  }

  #spawn(): ChildProcessByStdio<Writable, Readable, Readable> {
    const { command, args } = this.#provider;
    const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe'];
    // Windows starts `npx` and its like only through a shell.
    if (WINDOWS) {
      const line = [command, ...args].map((word) => `"${word.replaceAll('"', '\\"')}"`).join(' ');
      return spawn(line, [], { env: this.#environment, stdio, shell: true, windowsHide: true });
    }
    return spawn(command, args, { env: this.#environment, stdio, detached: true });
  }

  #read(text: string): void {
    const lines = text.split('\n');
    this.#line.push(lines[0] as string);
    for (const next of lines.slice(1)) {
      this.#message(this.#line.join(''));
      this.#line = [next];
    }
  }

  /** A line that is no message, such as a greeting, is passed over. */
  #message(line: string): void {
    if (line.trim() === '') return;
    try {
      this.onmessage?.(JSON.parse(line));
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  #exited(code: number | null, signal: string | null): void {
    this.#ending = code === null ? `its process was ended by ${signal}` : `its process ended with code ${code}`;
    this.#signal('SIGTERM');
    setTimeout(() => this.#close(), DRAIN_MS).unref();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }

  #lost(cause?: Error): SessionFault {
    return new SessionFault('disconnected', this.lastWords ?? 'its connection was closed', { cause });
  }

  async #silentWithin(ms: number): Promise<boolean> {
    return this.#silent || this.#child === undefined || within(this.#child, 'close', ms);
  }

  /** Signals the whole group, so that a server behind `npx` or a shell is reached too. */
  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(WINDOWS ? pid : -pid, signal);
    } catch {
      // Nobody is left in the group.
    }
  }
}

/** Writes text; gives the error if it could not be written. */
function written(stream: Writable, text: string): Promise<Error | undefined> {
  return new Promise((resolve) => {
    stream.write(text, (error) => resolve(error ?? undefined));
  });
}

/** Whether an event of the child comes in time. */
async function within(child: ChildProcess, event: 'exit' | 'close', ms: number): Promise<boolean> {
  const enough = new AbortController();
  const { signal } = enough;
  const came = once(child, event, { signal }).then(() => true);
  const late = sleep(ms, false, { signal });
  try {
    return await Promise.race([came, late]);
  } finally {
    enough.abort();
    await Promise.allSettled([came, late]);
  }
}

function spawnFailure(command: string, cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT') return `command '${command}' was not found`;
  return `command '${command}' cannot be started (${code ?? message})`;
}
