import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redact } from '@data-designer/core';
import { parseWithEveryDigit } from './exact-numbers.ts';
import { OrphanWatch } from './orphan-watch.ts';
import type { StdioToolProvider } from './provider.ts';
import { StderrTail } from './stderr-tail.ts';
import { SessionFault } from './tool-session.ts';

const WINDOWS = process.platform === 'win32';
/** Characters of one message, at most: what a line without an end would cost must have a bound. */
const LONGEST_MESSAGE = 128 * 2 ** 20;
/** How long the end of stdout is awaited after an exit, or the exit after a broken pipe. */
const DRAIN_MS = 200;
/** How often is looked whether a group has ended that closed its pipes. */
const LOOK_EVERY_MS = 20;

/**
 * The child process of a stdio tool server as an MCP transport: one JSON message a line. The process leads a group of
 * its own, so that a Ctrl-C meant for the run does not reach it, and so that it ends together with its children. If this
 * process is killed, a watch beside it ends the group.
 */
export class StdioProcess {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: unknown) => void) | undefined;
  readonly #provider: StdioToolProvider;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #graceMs: number;
  readonly #stderr: StderrTail;
  #watch: OrphanWatch | undefined;
  #child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  #closed = false;
  /** Whether the process has ended and nobody holds its pipes, as a server behind a shell still may. */
  #silent = false;
  #ending: string | undefined;
  #outgoing = '';
  /** Messages that wait to leave together. */
  #waiting = 0;
  #flushed: Promise<void> | undefined;
  #line: string[] = [];
  #lineLength = 0;

  constructor(
    provider: StdioToolProvider,
    environment: Readonly<Record<string, string>>,
    { graceMs, redact }: { readonly graceMs: number; readonly redact: Redact },
  ) {
    this.#provider = provider;
    this.#environment = environment;
    this.#graceMs = graceMs;
    this.#stderr = new StderrTail(redact);
  }

  /** The last it wrote to stderr, as a part of a sentence; empty if nothing. */
  get stderr(): string {
    const { text } = this.#stderr;
    return text && `; stderr: ${text}`;
  }

  /** How the process ended, with the last it wrote to stderr; undefined while it runs. */
  get lastWords(): string | undefined {
    return this.#ending === undefined ? undefined : `${this.#ending}${this.stderr}`;
  }

  async start(): Promise<void> {
    if (!WINDOWS) this.#watch = new OrphanWatch();
    const child = this.#spawn();
    this.#child = child;
    if (child.pid !== undefined) this.#watch?.watch(child.pid);
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    child.stderr.on('data', (bytes: Buffer) => this.#stderr.add(bytes));
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
      await this.#watch?.[Symbol.asyncDispose]();
      throw new SessionFault('disconnected', spawnFailure(this.#provider, cause), { cause });
    }
    child.on('error', (error) => this.onerror?.(error));
  }

  /** Messages of one turn leave in one piece. */
  send(message: unknown): Promise<void> {
    if (this.#child === undefined || this.#closed) return Promise.reject(this.#lost({ isUnsent: true }));
    this.#waiting++;
    this.#outgoing += `${JSON.stringify(message)}\n`;
    this.#flushed ??= new Promise<void>((resolve) => process.nextTick(resolve)).then(() => this.#flush());
    return this.#flushed;
  }

  /** Ends the process and its children: its stdin first, then SIGTERM, then SIGKILL, each after the grace time. */
  async close(): Promise<void> {
    this.#close();
    const child = this.#child;
    if (child?.pid === undefined) return;
    child.stdin.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await this.#goneWithin(this.#graceMs)) break;
      this.#signal(signal);
    }
    await this.#silentWithin(this.#graceMs);
    await this.#watch?.[Symbol.asyncDispose]();
  }

  #spawn(): ChildProcessByStdio<Writable, Readable, Readable> {
    const { command, args, cwd } = this.#provider;
    const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe'];
    // Windows starts `npx` and its like only through a shell.
    if (WINDOWS) {
      const line = [command, ...args].map((word) => `"${word.replaceAll('"', '\\"')}"`).join(' ');
      return spawn(line, [], { env: this.#environment, cwd, stdio, shell: true, windowsHide: true });
    }
    return spawn(command, args, { env: this.#environment, cwd, stdio, detached: true });
  }

  async #flush(): Promise<void> {
    const child = this.#child as ChildProcess & { readonly stdin: Writable };
    const text = this.#outgoing;
    // Of one message the server may have read a part, of several the first.
    const isUnsent = this.#waiting === 1 || !child.stdin.writable;
    this.#waiting = 0;
    this.#outgoing = '';
    this.#flushed = undefined;
    const cause = await written(child.stdin, text);
    if (cause === undefined) return;
    // What it still had to say comes first.
    if (this.#ending === undefined) await within(child, 'exit', DRAIN_MS);
    await this.#silentWithin(DRAIN_MS);
    throw this.#lost({ cause, isUnsent });
  }

  #read(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#line.push(text.slice(from, end));
      const line = this.#line.length === 1 ? (this.#line[0] as string) : this.#line.join('');
      this.#line = [];
      this.#lineLength = 0;
      from = end + 1;
      this.#message(line);
    }
    if (from === text.length) return;
    this.#line.push(text.slice(from));
    this.#lineLength += text.length - from;
    if (this.#lineLength > LONGEST_MESSAGE) this.#drop();
  }

  /** A server that never ends its line is not listened to any more. */
  #drop(): void {
    this.#line = [];
    this.#ending ??= `it sent a message of more than ${LONGEST_MESSAGE} characters`;
    this.#signal('SIGTERM');
    this.#close();
  }

  /** A line that is no message, such as a greeting, is passed over. */
  #message(line: string): void {
    if (line.trim() === '') return;
    try {
      this.onmessage?.(parseWithEveryDigit(line));
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  #exited(code: number | null, signal: string | null): void {
    this.#ending ??= code === null ? `its process was ended by ${signal}` : `its process ended with code ${code}`;
    this.#signal('SIGTERM');
    setTimeout(() => this.#close(), DRAIN_MS).unref();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }

  #lost(fault: { readonly cause?: Error; readonly isUnsent: boolean }): SessionFault {
    return new SessionFault('disconnected', this.lastWords ?? 'its connection was closed', fault);
  }

  /** Whether the process ends in time, and everybody of its group with it. */
  async #goneWithin(ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    if (!(await this.#silentWithin(ms))) return false;
    while (this.#isGroupAlive()) {
      if (performance.now() > deadline) return false;
      await sleep(LOOK_EVERY_MS);
    }
    return true;
  }

  async #silentWithin(ms: number): Promise<boolean> {
    return this.#silent || this.#child === undefined || within(this.#child, 'close', ms);
  }

  #isGroupAlive(): boolean {
    const pid = this.#child?.pid;
    if (pid === undefined || WINDOWS) return false;
    try {
      return process.kill(-pid, 0);
    } catch {
      return false;
    }
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

function spawnFailure({ command, cwd }: StdioToolProvider, cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (cwd !== undefined && !existsSync(cwd)) return `its folder '${cwd}' does not exist`;
  if (code === 'ENOENT') return `command '${command}' was not found`;
  return `command '${command}' cannot be started (${code ?? message})`;
}
