import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { DataDesignerError, messageOf, type Resource } from '@data-designer/core';
import { BEAT_MS, HeartbeatWatch } from './thread/heartbeat.ts';
import { returnIoThread, type StartedIoThread, takeIoThread } from './thread/start-io-thread.ts';
import type { Control, FromThread, IoThreadSettings, Report, ToThread } from './thread/control.ts';

/** What moves to the thread: the name of its type differs between versions of Node's types. */
type Transferred = NonNullable<Parameters<MessagePort['postMessage']>[1]>;

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
  readonly post: (control: Control, transfer?: Transferred) => void;
  /** Forgets the run; the thread serves no further one if the run may not have closed all that it opened. */
  readonly leave: (end: 'closed' | 'broken') => void;
}

/** A thread that other runs use too, and the account of a run in its budget. */
export interface SharedThread {
  readonly thread: GatewayThread;
  readonly account: string;
}

/** Counts the runs of this process: what a thread still says of an earlier run does not reach a later one. */
let runs = 0;

/** The I/O thread, which serves one run, or several that share its limits. */
export class GatewayThread implements AsyncDisposable {
  readonly #started: StartedIoThread;
  readonly #watch: NodeJS.Timeout;
  readonly #runs = new Map<number, HostedRun>();
  readonly #gone = Promise.withResolvers<void>();
  #failure: DataDesignerError | undefined;
  #isBroken = false;
  #closing = false;

  /** Starts the thread, or takes the one that has been started; throws `run/gateway-lost` if there is no room for one. */
  constructor({ silenceMs = SILENCE_MS }: { readonly silenceMs?: number | undefined } = {}) {
    const started = takeThread();
    const watch = new HeartbeatWatch(started.heartbeat, silenceMs);
    this.#started = started;
    this.#watch = setInterval(() => watch.look() === 'silent' && this.#endSilent(watch), BEAT_MS).unref();
    started.worker.on('message', this.#onMessage).on('error', this.#onError).on('exit', this.#onExit);
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
    const run = runs++;
    this.#runs.set(run, hosted);
    if (this.#failure) hosted.fail(this.#failure);
    return {
      open: (settings) => this.#post({ kind: 'open', run, settings }),
      post: (control, transfer) => this.#post({ kind: 'control', run, control }, transfer),
      leave: (end) => {
        this.#runs.delete(run);
        this.#isBroken ||= end === 'broken';
      },
    };
  }

  /** Says what an account of the shared budget has spent in all. */
  spend(account: string, cost: number): void {
    this.#post({ kind: 'spend', account, cost });
  }

  /** Leaves the thread to the next run if it is fit for one, and ends it otherwise. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    clearInterval(this.#watch);
    const { worker } = this.#started;
    if (!this.#isBroken && !this.#failure && this.#runs.size === 0) {
      this.#post({ kind: 'share', resources: undefined });
      worker.off('message', this.#onMessage).off('error', this.#onError).off('exit', this.#onExit);
      if (returnIoThread(this.#started)) return;
    }
    // It ends at once unless native code blocks it.
    await Promise.race([worker.terminate(), sleep(LONGEST_END_MS, undefined, { ref: false })]);
  }

  readonly #onMessage = ({ run, report }: FromThread): void => this.#runs.get(run)?.take(report);

  readonly #onError = (error: Error): void => this.#fail(gatewayLost(error));

  readonly #onExit = (code: number): void => {
    clearInterval(this.#watch);
    this.#gone.resolve();
    if (!this.#closing)
      this.#fail(new DataDesignerError('run/gateway-lost', { reason: `it ended with exit code ${code}` }));
  };

  #post(message: ToThread, transfer: Transferred = []): void {
    this.#started.worker.postMessage(message, transfer);
  }

  /** Terminates a thread that hangs: it cannot close anything. */
  #endSilent({ silenceMs }: HeartbeatWatch): void {
    clearInterval(this.#watch);
    this.#gone.resolve();
    this.#fail(new DataDesignerError('run/gateway-lost', { reason: `it did not respond for ${silenceMs / 1000} s` }));
    void this.#started.worker.terminate();
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
