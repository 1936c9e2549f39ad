import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { DataDesignerError, type ToolSchema } from '@data-designer/core';
import { LocalHost, type LocalToolProvider } from '@data-designer/mcp';
import type { ClusterLimits, MachineUse } from './admission/cluster-limits.ts';
import type { CallRecord } from './call-record.ts';
import type { GatewayEvent } from './gateway-event.ts';
import { GatewayThread, type RunLine, type SharedThread } from './gateway-thread.ts';
import type { Control, Report } from './thread/control.ts';
import type { ModelState } from './admission/model-state.ts';
import type { ProviderRouterOptions } from './provider-router.ts';
import type { RunGateway } from './run-gateway.ts';

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
  /** The limits that this machine shares with others; absent on one machine. */
  readonly cluster?: ClusterLimits | undefined;
  /** A thread that serves other runs too and goes on after this one; by default the run has its own. */
  readonly shared?: SharedThread | undefined;
}

interface Waiting {
  readonly resolve: (report: Report) => void;
  readonly reject: (failure: DataDesignerError) => void;
}

/** The host's handle on the gateway of a run. */
export class GatewayHost implements RunGateway {
  readonly #thread: GatewayThread;
  readonly #line: RunLine;
  readonly #onEvent: (event: GatewayEvent) => void;
  readonly #onModels: (models: readonly ModelState[]) => void;
  readonly #onCalls: (calls: readonly CallRecord[]) => void;
  readonly #local: LocalHost;
  readonly #cluster: ClusterLimits | undefined;
  readonly #endExchangeNow: (() => void) | undefined;
  readonly #waiting = new Map<number, Waiting>();
  readonly #lost = Promise.withResolvers<never>();
  readonly #spent = Promise.withResolvers<DataDesignerError>();
  #isAlone = true;
  #nextId = 1;
  #failure: DataDesignerError | undefined;

  private constructor(
    thread: GatewayThread,
    {
      onEvent = () => {},
      onModels = () => {},
      onCalls = () => {},
      cluster,
      local,
    }: GatewayHostOptions & { local: LocalHost },
  ) {
    this.#thread = thread;
    this.#onEvent = onEvent;
    this.#onModels = onModels;
    this.#onCalls = onCalls;
    this.#local = local;
    this.#cluster = cluster;
    this.#endExchangeNow = cluster?.onExchangeNow(() => this.#line.post({ kind: 'exchange-now' }));
    this.#lost.promise.catch(() => {});
    this.#line = thread.join({ take: (report) => this.#take(report), fail: (failure) => this.#fail(failure) });
  }

  /**
   * Opens a run on the thread; throws `secret/missing` if a key in use is not to be had, `tool/invalid` for a function
   * tool, and `run/gateway-lost` where the thread cannot start.
   */
  static async open(
    options: Omit<ProviderRouterOptions, 'environment' | 'localTools'>,
    { onEvent = () => {}, localTools = [], silenceMs, shared, ...others }: GatewayHostOptions = {},
  ): Promise<GatewayHost> {
    const used = new Set(options.resources.flatMap(({ kind, provider }) => (kind === 'tools' ? provider : [])));
    const local = new LocalHost(
      localTools.filter(({ name }) => used.has(name)),
      { onNote: onEvent },
    );
    const gateway = new GatewayHost(shared?.thread ?? new GatewayThread({ silenceMs }), { onEvent, ...others, local });
    gateway.#isAlone = shared === undefined;
    const opened = gateway.#failure ? Promise.reject(gateway.#failure) : gateway.#answerTo(0);
    const kinds = { recordsCalls: others.onCalls !== undefined, isClustered: others.cluster !== undefined };
    // The thread may have started long before: its own copy may lack what has been set since.
    const environment = { ...process.env };
    gateway.#line.open({ ...options, environment, localTools: local.sources, ...kinds, account: shared?.account });
    try {
      await opened;
    } catch (failure) {
      await gateway.#leave('broken');
      throw failure;
    }
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
    this.#line.post({ kind: 'open-group', group, journalPath, port: port1 }, [port1]);
    return port2;
  }

  async closeGroup(group: number, options: { keepJournal: boolean }): Promise<void> {
    await this.#ask({ kind: 'close-group', group, ...options });
  }

  endGroup(group: number): void {
    this.#line.post({ kind: 'end-group', group });
  }

  async drain(graceMs: number): Promise<void> {
    await this.#ask({ kind: 'drain', graceMs });
  }

  async listTools(provider: string, { rests = false } = {}): Promise<readonly ToolSchema[]> {
    const report = await this.#ask({ kind: 'list-tools', provider, rests });
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

  /** Keeps all journals, ends all sessions and child processes, and leaves the thread if it serves this run alone. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#endExchangeNow?.();
    // The thread may work although the run has failed: it closes its journals.
    const closed = this.#post({ kind: 'close' }).then(
      () => 'closed' as const,
      () => 'broken' as const,
    );
    const end = await Promise.race([closed, this.#thread.gone.then(() => 'broken' as const)]);
    this.#local.cancelAll();
    await this.#leave(this.#failure ? 'broken' : end);
  }

  async #leave(end: 'closed' | 'broken'): Promise<void> {
    this.#line.leave(end);
    // The thread answers nothing more.
    this.#reject(new DataDesignerError('run/aborted', { reason: 'the run has been closed' }));
    if (this.#isAlone) await this.#thread[Symbol.asyncDispose]();
  }

  #ask(question: Question): Promise<Report> {
    return this.#failure ? Promise.reject(this.#failure) : this.#post(question);
  }

  #post(question: Question): Promise<Report> {
    const id = this.#nextId++;
    const answer = this.#answerTo(id);
    this.#line.post({ ...question, id });
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
    if (report.kind === 'use') return void this.#exchange(report.use);
    if (report.kind === 'run-tool' || report.kind === 'cancel-tool') {
      return this.#local.take(report, (ended) => this.#line.post(ended));
    }
    const waiting = this.#waiting.get(report.id);
    this.#waiting.delete(report.id);
    if (report.kind === 'failed') waiting?.reject(DataDesignerError.fromWire(report.failure));
    else waiting?.resolve(report);
  }

  async #exchange(use: MachineUse): Promise<void> {
    const shares = await this.#cluster?.exchange(use).catch(() => undefined);
    this.#line.post({ kind: 'shares', shares });
  }

  #fail(failure: DataDesignerError): void {
    this.#lost.reject(failure);
    this.#reject(failure);
  }

  /** Fails the open questions and all further ones. */
  #reject(failure: DataDesignerError): void {
    this.#failure ??= failure;
    for (const { reject } of this.#waiting.values()) reject(failure);
    this.#waiting.clear();
  }
}
