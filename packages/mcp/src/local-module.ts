import { Worker } from 'node:worker_threads';
import { type CallOutcome, DataDesignerError, messageOf, type ToolSchema, threadEntry } from '@data-designer/core';
import { LocalCalls } from './local-calls.ts';
import type { ToolEnded, ToolNote } from './local-messages.ts';
import type { ToolRequest } from './tool-request.ts';
import { LONGEST_TIMER_MS, type ToolCallOptions, UNKNOWN_OUTCOME, unlessAborted } from './tool-session.ts';

/** A message from the thread of a module. */
export type ThreadReport =
  | { readonly kind: 'ready'; readonly schemas: readonly ToolSchema[] }
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'note'; readonly note: ToolNote }
  | ToolEnded;

/** The options of module threads. */
export interface LocalModuleOptions {
  readonly onNote?: ((note: ToolNote) => void) | undefined;
  /** The time for loading the module; 30 s unless given. */
  readonly loadTimeoutMs?: number | undefined;
  /** Silence beyond a call's time limit after which its thread counts as blocked; 1 s unless given. */
  readonly graceMs?: number | undefined;
}

const LOAD_MS = 30_000;
const GRACE_MS = 1_000;
/** Interval of the check of a silent thread. */
const AGAIN_MS = 50;

const ENTRY = threadEntry(import.meta.url, './local-thread');

/** One thread of the module. */
class Life {
  readonly worker: Worker;
  readonly calls: LocalCalls;
  readonly ready: Promise<readonly ToolSchema[]>;
  /** Time of its last message, by the clock of `performance`. */
  heardAt = performance.now();
  isOver = false;

  constructor(source: { readonly name: string; readonly module: string }, options: LocalModuleOptions) {
    this.worker = new Worker(ENTRY, { workerData: source, stdout: true });
    // The output of tools must not mix with the output of a command.
    this.worker.stdout.on('data', (text: Buffer) => process.stderr.write(text));
    this.calls = new LocalCalls((ask) => this.worker.postMessage(ask));
    this.ready = this.#started(source.name, options);
    this.ready.catch(() => {});
  }

  /** Ends the thread, and with it every call. */
  end(reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.calls.failAll(`${reason}${UNKNOWN_OUTCOME}`);
    void this.worker.terminate();
  }

  #started(provider: string, { onNote, loadTimeoutMs = LOAD_MS }: LocalModuleOptions): Promise<readonly ToolSchema[]> {
    return new Promise((resolve, reject) => {
      const fail = (reason: string): void => {
        clearTimeout(timer);
        reject(new DataDesignerError('tool/unavailable', { provider, reason }));
        this.end(reason);
      };
      const timer = setTimeout(() => fail(`its module did not load within ${loadTimeoutMs} ms`), loadTimeoutMs);
      this.worker.on('message', (report: ThreadReport) => {
        this.heardAt = performance.now();
        if (report.kind === 'tool-ended') return this.calls.take(report);
        if (report.kind === 'note') return onNote?.(report.note);
        clearTimeout(timer);
        if (report.kind === 'ready') resolve(report.schemas);
        else fail(report.reason);
      });
      this.worker.on('error', (error) => fail(`its thread ended: ${messageOf(error)}`));
      this.worker.on('exit', (code) => fail(`its thread ended with code ${code}`));
    });
  }
}

/**
 * The tools of one module, in their own thread, which the first call starts. A thread that ends, or that a tool blocks beyond
 * the time limit of its call, is replaced; its calls end with an error and are not repeated.
 */
export class LocalModule implements AsyncDisposable {
  readonly #source: { readonly name: string; readonly module: string };
  readonly #options: LocalModuleOptions;
  #life: Life | undefined;
  #isClosed = false;

  constructor(source: { readonly name: string; readonly module: string }, options: LocalModuleOptions = {}) {
    this.#source = source;
    this.#options = options;
  }

  /** The tools of the module; rejects with `tool/unavailable`. */
  listTools(): Promise<readonly ToolSchema[]> {
    return this.#living().ready;
  }

  /** Runs a tool; rejects only with `run/aborted`, when the signal is aborted. */
  async call(request: ToolRequest, options: ToolCallOptions): Promise<CallOutcome> {
    const life = this.#living();
    try {
      await unlessAborted(life.ready, options.signal);
    } catch (thrown) {
      if (options.signal?.aborted) throw thrown;
      return { status: 502, headers: {}, body: DataDesignerError.fromUnknown(thrown).message };
    }
    const watch = this.#watch(life, options.timeoutMs);
    try {
      return await Promise.race([life.calls.call(this.#source.name, request, options), watch.blocked]);
    } finally {
      watch.stop();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#life?.end('the run is over');
    await this.#life?.worker.terminate();
  }

  #living(): Life {
    if (this.#isClosed) throw new DataDesignerError('run/aborted', { reason: 'the tools are closed' });
    if (this.#life === undefined || this.#life.isOver) this.#life = new Life(this.#source, this.#options);
    return this.#life;
  }

  /** Resolves when a call is beyond its time limit and its thread has been silent since then. */
  #watch(life: Life, timeoutMs: number): { readonly blocked: Promise<CallOutcome>; readonly stop: () => void } {
    const patienceMs = timeoutMs + (this.#options.graceMs ?? GRACE_MS);
    let timer: NodeJS.Timeout | undefined;
    let isSure = false;
    const blocked = new Promise<CallOutcome>((resolve) => {
      const look = (): void => {
        const leftMs = life.heardAt + patienceMs - performance.now();
        if (leftMs > 0 || !isSure) {
          // Its message may wait to be read: this thread may have been busy.
          isSure = leftMs <= 0;
          timer = setTimeout(look, Math.min(Math.max(leftMs, AGAIN_MS), LONGEST_TIMER_MS));
          return;
        }
        const body = `no answer within ${Math.round(timeoutMs)} ms, and its thread was blocked`;
        resolve({ status: 504, headers: {}, body });
        life.end('its thread was ended because another call had blocked it');
      };
      timer = setTimeout(look, Math.min(patienceMs, LONGEST_TIMER_MS));
    });
    return { blocked, stop: () => clearTimeout(timer) };
  }
}
