import { setTimeout as sleep } from 'node:timers/promises';
import type { TransferListItem, Worker } from 'node:worker_threads';
import { DataDesignerError, messageOf, type Resource } from '@data-designer/core';
import { BEAT_MS, HeartbeatWatch } from './thread/heartbeat.ts';
import { type StartedIoThread, takeIoThread } from './thread/start-io-thread.ts';
import type { Control, FromThread, IoThreadSettings, Report, ToThread } from './thread/control.ts';

/** How long the thread may take to end. */
const LONGEST_END_MS = 5000;
/** How long the thread may block its event loop: longer than a worker, as it waits for the disk. */
const SILENCE_MS = 60_000;

/** A run that the thread serves, as its host sees it. */
interface HostedRun {
  readonly take: (report: Report) => void;
  readonly fail: (failure: DataDesignerError) => void;
}

/** Sends commands to the gateway of one run. */
export interface RunLine {
  readonly open: (settings: IoThreadSettings) => void;
  readonly post: (control: Control, transfer?: readonly TransferListItem[]) => void;
  /** Forgets the run. */
  readonly leave: () => void;
}

/** A thread that other runs use too, and the account of a run in its budget. */
export interface SharedThread {
  readonly thread: GatewayThread;
  readonly account: string;
}

/** The I/O thread, which serves one run, or several that share its limits. */
export class GatewayThread implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #watch: NodeJS.Timeout;
  readonly #runs = new Map<number, HostedRun>();
  readonly #gone = Promise.withResolvers<void>();
  #nextRun = 0;
  #failure: DataDesignerError | undefined;
  #closing = false;

  /** Starts the thread, or takes the one that has been started; throws `run/gateway-lost` if there is no room for one. */
  constructor({ silenceMs = SILENCE_MS }: { readonly silenceMs?: number | undefined } = {}) {
    const { worker, heartbeat } = takeThread();
    const watch = new HeartbeatWatch(heartbeat, silenceMs);
    this.#worker = worker;
    this.#watch = setInterval(() => watch.look() === 'silent' && this.#endSilent(watch), BEAT_MS).unref();
    worker.on('message', ({ run, report }: FromThread) => this.#runs.get(run)?.take(report));
    worker.on('error', (error: Error) => this.#fail(gatewayLost(error)));
    worker.on('exit', (code) => {
      clearInterval(this.#watch);
      this.#gone.resolve();
      if (!this.#closing)
        this.#fail(new DataDesignerError('run/gateway-lost', { reason: `it ended with exit code ${code}` }));
    });
  }

  /** A thread whose runs share the limits of these resources, and one budget. */
  static shared(resources: readonly Resource[]): GatewayThread {
    const thread = new GatewayThread();
    thread.#post({ kind: 'share', resources });
    return thread;
  }

  /** Resolves when the thread has ended, or does not respond. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Adds a run; it fails if the thread is lost. */
  join(hosted: HostedRun): RunLine {
    const run = this.#nextRun++;
    this.#runs.set(run, hosted);
    if (this.#failure) hosted.fail(this.#failure);
    return {
      open: (settings) => this.#post({ kind: 'open', run, settings }),
      post: (control, transfer) => this.#post({ kind: 'control', run, control }, transfer),
      leave: () => void this.#runs.delete(run),
    };
  }

  /** Says what an account of the shared budget has spent in all. */
  spend(account: string, cost: number): void {
    this.#post({ kind: 'spend', account, cost });
  }

  /** Ends the thread. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    clearInterval(this.#watch);
    // It ends at once unless native code blocks it.
    await Promise.race([this.#worker.terminate(), sleep(LONGEST_END_MS, undefined, { ref: false })]);
  }

  #post(message: ToThread, transfer: readonly TransferListItem[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  /** Terminates a thread that hangs: it cannot close anything. */
  #endSilent({ silenceMs }: HeartbeatWatch): void {
    clearInterval(this.#watch);
    this.#gone.resolve();
    this.#fail(new DataDesignerError('run/gateway-lost', { reason: `it did not respond for ${silenceMs / 1000} s` }));
    void this.#worker.terminate();
  }

  #fail(failure: DataDesignerError): void {
    this.#failure ??= failure;
    for (const { fail } of this.#runs.values()) fail(failure);
  }
}

function takeThread(): StartedIoThread {
  try {
    return takeIoThread();
  } catch (thrown) {
    throw gatewayLost(thrown);
  }
}

function gatewayLost(thrown: unknown): DataDesignerError {
  return new DataDesignerError('run/gateway-lost', { reason: messageOf(thrown) }, { cause: thrown });
}
