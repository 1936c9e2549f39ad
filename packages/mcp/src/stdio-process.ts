import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Redact, systemCode } from '@data-designer/core';
import { mostBytesOf, oversized } from './bounded-body.ts';
import type { LinkListener } from './link.ts';
import { MOST_SKIPPED, takeMessages, takeOversized } from './message-body.ts';
import { MessageOutline } from './message-outline.ts';
import { LostParentWatch } from './lost-parent-watch.ts';
import type { StdioToolProvider } from './provider.ts';
import { reasonOf } from './reason-of.ts';
import { StderrTail } from './stderr-tail.ts';
import { SessionFault } from './tool-session.ts';

const WINDOWS = process.platform === 'win32';
/** Time to wait for the end of stdout after an exit, or for the exit after a broken pipe. */
const DRAIN_MS = 200;
/** Interval of the check whether a process group that closed its pipes has ended. */
const LOOK_EVERY_MS = 20;

/** The listener to a process. */
type StdioListener = Pick<LinkListener, 'onMessage' | 'onClose' | 'onStray'>;

/** The options of a process. */
interface StdioOptions {
  readonly graceMs: number;
  readonly redact: Redact;
  readonly listener: StdioListener;
}

/**
 * The child process of a stdio tool server as an MCP transport: one JSON message per line. The process leads its own process
 * group, so that Ctrl-C does not reach it and its children end with it. If this process is killed, a `LostParentWatch` ends the
 * group.
 */
export class StdioProcess {
  readonly #listener: StdioListener;
  readonly #provider: StdioToolProvider;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #graceMs: number;
  readonly #stderr: StderrTail;
  #watch: LostParentWatch | undefined;
  #child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  #closed = false;
  /** Whether the process has ended and no other process holds its pipes, as a server behind a shell may. */
  #silent = false;
  #ending: string | undefined;
  #outgoing = '';
  /** Messages to be written together. */
  #waiting = 0;
  #flushed: Promise<void> | undefined;
  #drained: Promise<void> | undefined;
  /** A line without an end must not fill the memory. */
  readonly #mostChars: number;
  #line: string[] = [];
  #lineLength = 0;
  /** What is known of a line over the bound. */
  #outline: MessageOutline | undefined;

  constructor(
    provider: StdioToolProvider,
    environment: Readonly<Record<string, string>>,
    { graceMs, redact, listener }: StdioOptions,
  ) {
    this.#listener = listener;
    this.#provider = provider;
    this.#environment = environment;
    this.#graceMs = graceMs;
    this.#mostChars = mostBytesOf(provider);
    this.#stderr = new StderrTail(redact);
  }

  /** The end of its stderr as a part of a sentence; empty if there is none. */
  get stderr(): string {
    const { text } = this.#stderr;
    return text && `; stderr: ${text}`;
  }

  /** How the process ended, with the end of its stderr; undefined while it runs. */
  get lastWords(): string | undefined {
    return this.#ending === undefined ? undefined : `${this.#ending}${this.stderr}`;
  }

  async start(): Promise<void> {
    if (!WINDOWS) this.#watch = new LostParentWatch();
    const child = this.#spawn();
    this.#child = child;
    if (child.pid !== undefined) this.#watch?.watch(child.pid);
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    child.stdout.once('end', () => this.#stdoutEnded());
    child.stderr.on('data', (bytes: Buffer) => this.#stderr.add(bytes));
    // Each sender gets the error from its write.
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
    child.on('error', () => undefined);
  }

  /** Writes the messages of one tick at once. */
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
    const child = this.#child;
    if (!child) return;
    const text = this.#outgoing;
    // The server may have read a part of one message, or the first of several.
    const isUnsent = this.#waiting === 1 || !child.stdin.writable;
    this.#waiting = 0;
    this.#outgoing = '';
    this.#flushed = undefined;
    const cause = await written(child.stdin, text);
    if (cause === undefined) return;
    // Many writes may fail together.
    await (this.#drained ??= this.#drain(child));
    throw this.#lost({ cause, isUnsent });
  }

  /** Output that is still in the pipe is read first. */
  async #drain(child: ChildProcess): Promise<void> {
    if (this.#ending === undefined) await within(child, 'exit', DRAIN_MS);
    await this.#silentWithin(DRAIN_MS);
  }

  #read(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      if (!this.#add(text.slice(from, end))) return;
      from = end + 1;
      this.#endLine();
    }
    if (from < text.length) this.#add(text.slice(from));
  }

  /** Adds to the line; of a line over the bound only the id of its message is read. False ends the reading. */
  #add(piece: string): boolean {
    this.#line.push(piece);
    this.#lineLength += piece.length;
    if (this.#lineLength <= this.#mostChars) return true;
    if (this.#lineLength > this.#mostChars * MOST_SKIPPED) {
      this.#drop(oversized('its message', this.#mostChars));
      return false;
    }
    this.#outline ??= new MessageOutline();
    for (const one of this.#line) this.#outline.add(one);
    this.#line = [];
    return true;
  }

  #endLine(): void {
    const { 0: first = '', length } = this.#line;
    const line = length === 1 ? first : this.#line.join('');
    const outline = this.#outline;
    this.#line = [];
    this.#lineLength = 0;
    this.#outline = undefined;
    if (outline) takeOversized(outline, this.#mostChars, this.#listener.onMessage);
    else this.#message(line);
  }

  /** Ends a server that cannot be read any more. */
  #drop(reason: string): void {
    this.#line = [];
    this.#ending ??= reason;
    this.#signal('SIGTERM');
    this.#close();
  }

  /** No answer comes any more, even if the process lives on. Its last line may have no end. */
  #stdoutEnded(): void {
    this.#endLine();
    setTimeout(() => !this.#closed && this.#drop('it closed its stdout'), DRAIN_MS).unref();
  }

  /** Passes on a line that is not a message, such as a greeting. */
  #message(line: string): void {
    if (line.trim() === '') return;
    try {
      takeMessages(line, this.#listener.onMessage);
    } catch {
      this.#listener.onStray(line);
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
    this.#listener.onClose();
  }

  #lost(fault: { readonly cause?: Error; readonly isUnsent: boolean }): SessionFault {
    return new SessionFault('disconnected', this.lastWords ?? 'its connection was closed', fault);
  }

  /** Whether the process and its group end in time. */
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

  /** Signals the whole group, and so a server behind `npx` or a shell too. */
  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(WINDOWS ? pid : -pid, signal);
    } catch {
      // The group is empty.
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
  const code = systemCode(cause);
  if (cwd !== undefined && !existsSync(cwd)) return `its folder '${cwd}' does not exist`;
  if (code === 'ENOENT') return `command '${command}' was not found; install it, or correct 'command' of the provider`;
  return `command '${command}' cannot be started (${code || reasonOf(cause)})`;
}
