import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { DataDesignerError, messageOf, type ToolSchema } from '@data-designer/core';
import { LocalHost, type LocalToolProvider } from '@data-designer/mcp';
import { BEAT_MS, HeartbeatWatch } from './thread/heartbeat.ts';
import { type StartedIoThread, takeIoThread } from './thread/start-io-thread.ts';
import type { CallRecord } from './call-record.ts';
import type { GatewayEvent } from './gateway-event.ts';
import type { Control, Report } from './thread/control.ts';
import type { ModelState } from './thread/model-state.ts';
import type { ProviderRouterOptions } from './provider-router.ts';
import type { RunGateway } from './run-gateway.ts';

/** How long the thread may take to end. */
const LONGEST_END_MS = 5000;
/** How long the thread may block its event loop: longer than a worker, as it waits for the disk. */
const SILENCE_MS = 60_000;

/** The first message to the I/O thread: the settings of its run. */
export interface IoThreadSettings extends Omit<ProviderRouterOptions, 'environment'> {
  /** Whether to record calls. */
  readonly recordsCalls: boolean;
}

/** A command of the host without its number. */
type Question = Control extends infer C ? (C extends { readonly id: number } ? Omit<C, 'id'> : never) : never;

/** What the host does for the I/O thread. */
interface GatewayHostOptions {
  /** How long the I/O thread may block its event loop before the run ends; 60 s unless given. */
  readonly silenceMs?: number;
  /** Called with events of models, tool servers and function tools; must not throw. */
  readonly onEvent?: ((event: GatewayEvent) => void) | undefined;
  /** Called with changed model states, at most ten times a second; must not throw. */
  readonly onModels?: ((models: readonly ModelState[]) => void) | undefined;
  /** Called with the calls that have ended, in batches; must not throw. Without it no call is recorded. */
  readonly onCalls?: ((calls: readonly CallRecord[]) => void) | undefined;
  /** Function tools and modules of them; those in use are opened. */
  readonly localTools?: readonly LocalToolProvider[] | undefined;
}

interface Waiting {
  readonly resolve: (report: Report) => void;
  readonly reject: (failure: DataDesignerError) => void;
}

/** The host's handle on the I/O thread. */
export class GatewayHost implements RunGateway {
  readonly #worker: Worker;
  readonly #onEvent: (event: GatewayEvent) => void;
  readonly #onModels: (models: readonly ModelState[]) => void;
  readonly #onCalls: (calls: readonly CallRecord[]) => void;
  readonly #local: LocalHost;
  readonly #waiting = new Map<number, Waiting>();
  readonly #watch: NodeJS.Timeout;
  readonly #lost = Promise.withResolvers<never>();
  readonly #spent = Promise.withResolvers<DataDesignerError>();
  #nextId = 1;
  #closing = false;
  #gone = false;
  #failure: DataDesignerError | undefined;

  private constructor(
    { worker, heartbeat }: { readonly worker: Worker; readonly heartbeat: HeartbeatWatch },
    { onEvent = () => {}, onModels = () => {}, onCalls = () => {}, local }: GatewayHostOptions & { local: LocalHost },
  ) {
    this.#worker = worker;
    this.#watch = setInterval(() => heartbeat.look() === 'silent' && this.#endSilent(heartbeat), BEAT_MS).unref();
    this.#onEvent = onEvent;
    this.#onModels = onModels;
    this.#onCalls = onCalls;
    this.#local = local;
    this.#lost.promise.catch(() => {});
    worker.on('message', (report: Report) => this.#take(report));
    worker.on('error', (error: Error) => this.#fail(gatewayLost(error)));
    worker.on('exit', (code) => {
      this.#gone = true;
      clearInterval(this.#watch);
      if (!this.#closing)
        this.#fail(new DataDesignerError('run/gateway-lost', { reason: `it ended with exit code ${code}` }));
    });
  }

  /**
   * Starts the thread; throws `secret/missing` if a key in use is not to be had, `tool/invalid` for a function tool, and
   * `run/gateway-lost` where the thread cannot start.
   */
  static async open(
    options: Omit<ProviderRouterOptions, 'environment' | 'localTools'>,
    { onEvent = () => {}, onModels, onCalls, localTools = [], silenceMs = SILENCE_MS }: GatewayHostOptions = {},
  ): Promise<GatewayHost> {
    const used = new Set(options.resources.flatMap(({ kind, provider }) => (kind === 'tools' ? provider : [])));
    const local = new LocalHost(
      localTools.filter(({ name }) => used.has(name)),
      { onNote: onEvent },
    );
    const { worker, heartbeat } = takeThread();
    const thread = { worker, heartbeat: new HeartbeatWatch(heartbeat, silenceMs) };
    const gateway = new GatewayHost(thread, { onEvent, onModels, onCalls, local });
    const recordsCalls = onCalls !== undefined;
    worker.postMessage({ ...options, localTools: local.sources, recordsCalls } satisfies IoThreadSettings);
    await gateway.#answerTo(0);
    return gateway;
  }

  get lost(): Promise<never> {
    return this.#lost.promise;
  }

  get spent(): Promise<DataDesignerError> {
    return this.#spent.promise;
  }

  openGroup(group: number, journalPath: string | null): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#worker.postMessage({ kind: 'open-group', group, journalPath, port: port1 } satisfies Control, [port1]);
    return port2;
  }

  async closeGroup(group: number, options: { keepJournal: boolean }): Promise<void> {
    await this.#ask({ kind: 'close-group', group, ...options });
  }

  async drain(graceMs: number): Promise<void> {
    await this.#ask({ kind: 'drain', graceMs });
  }

  async listTools(provider: string): Promise<readonly ToolSchema[]> {
    const report = await this.#ask({ kind: 'list-tools', provider });
    return report.kind === 'tools' ? report.schemas : [];
  }

  /** The names of the models that a model provider lists; throws `model/not-listed`. */
  async listModels(provider: string): Promise<readonly string[]> {
    const report = await this.#ask({ kind: 'list-models', provider });
    return report.kind === 'listed-models' ? report.names : [];
  }

  async redact<Value>(value: Value): Promise<Value> {
    const report = await this.#ask({ kind: 'redact', value });
    return report.kind === 'redacted' ? (report.value as Value) : value;
  }

  /** Keeps all journals, ends all sessions and child processes, and the thread. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    const gone = new Promise((resolve) => this.#worker.once('exit', resolve));
    // The thread may work although the run has failed: it closes its journals.
    if (!this.#gone) await Promise.race([this.#post({ kind: 'close' }).catch(() => {}), gone]);
    this.#local.cancelAll();
    clearInterval(this.#watch);
    // It ends at once unless native code blocks it.
    await Promise.race([this.#worker.terminate(), sleep(LONGEST_END_MS, undefined, { ref: false })]);
  }

  /** Terminates a thread that hangs: it cannot close anything. */
  #endSilent({ silenceMs }: HeartbeatWatch): void {
    clearInterval(this.#watch);
    this.#gone = true;
    this.#fail(new DataDesignerError('run/gateway-lost', { reason: `it did not respond for ${silenceMs / 1000} s` }));
    void this.#worker.terminate();
  }

  #ask(question: Question): Promise<Report> {
    return this.#failure ? Promise.reject(this.#failure) : this.#post(question);
  }

  #post(question: Question): Promise<Report> {
    const id = this.#nextId++;
    const answer = this.#answerTo(id);
    this.#worker.postMessage({ ...question, id });
    return answer;
  }

  #answerTo(id: number): Promise<Report> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #take(report: Report): void {
    if (report.kind === 'fatal') return this.#fail(DataDesignerError.fromWire(report.failure));
    if (report.kind === 'spent') return this.#spent.resolve(DataDesignerError.fromWire(report.reason));
    if (report.kind === 'event') return this.#onEvent(report.event);
    if (report.kind === 'models') return this.#onModels(report.models);
    if (report.kind === 'calls') return this.#onCalls(report.calls);
    if (report.kind === 'run-tool' || report.kind === 'cancel-tool') {
      return this.#local.take(report, (ended) => this.#worker.postMessage(ended satisfies Control));
    }
    const waiting = this.#waiting.get(report.id);
    this.#waiting.delete(report.id);
    if (report.kind === 'failed') waiting?.reject(DataDesignerError.fromWire(report.failure));
    else waiting?.resolve(report);
  }

  #fail(failure: DataDesignerError): void {
    this.#failure ??= failure;
    this.#lost.reject(failure);
    for (const { reject } of this.#waiting.values()) reject(failure);
    this.#waiting.clear();
  }
}

/** Starts the thread, or takes the one that has been started; throws `run/gateway-lost` if there is no room for one. */
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
