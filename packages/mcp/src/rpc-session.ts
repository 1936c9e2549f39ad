import { DataDesignerError, fieldsOf, messageOf, type Redact, redactor } from '@data-designer/core';
import { type Ended, InFlight } from './in-flight.ts';
import type { Link, LinkListener, RpcMessage } from './link.ts';
import { secretsOf, type ToolProvider } from './provider.ts';
import { listAllTools } from './tool-listing.ts';
import {
  abortFailure,
  inTime,
  type JsonObject,
  type LinkOptions,
  type ListedTools,
  LONGEST_TIMER_MS,
  SessionFault,
  type SessionOptions,
  type ToolCallOptions,
  type ToolCallResult,
  type ToolSession,
  unlessAborted,
} from './tool-session.ts';

const HANDSHAKE_MS = 30_000;
/** Time for a ping to a server that sent nothing during a whole call. */
const PING_MS = 5_000;
/** The SDK's request for the handshake has number 0. */
const FIRST_ID = 1;

/** Opens the link of a session. */
type OpenLink = (provider: ToolProvider, options: LinkOptions, listener: LinkListener) => Link;

/** A session over a link: JSON-RPC requests and answers, time limits, and the end of the link. */
export class RpcSession implements ToolSession {
  readonly #provider: ToolProvider;
  readonly #options: SessionOptions;
  readonly #handshakeMs: number;
  readonly #link: Link;
  readonly #redact: Redact;
  readonly #calls = new Map<number, InFlight>();
  readonly #bySignal = new WeakMap<AbortSignal, Set<number>>();
  #nextId = FIRST_ID;
  #isOpen = false;
  #lost: string | undefined;
  #closing: Promise<void> | undefined;
  #heardAt = 0;
  #pinging = false;

  constructor(provider: ToolProvider, options: SessionOptions, openLink: OpenLink) {
    this.#provider = provider;
    this.#options = options;
    this.#handshakeMs = options.handshakeTimeoutMs ?? HANDSHAKE_MS;
    this.#redact = options.redact ?? redactor(secretsOf(provider));
    this.#link = openLink(
      provider,
      { ...options, redact: this.#redact },
      {
        onMessage: (message) => this.#take(message),
        onClose: () => this.#end(this.#link.lastWords() ?? 'its connection was closed'),
        onBreak: (reason) => void this.#close(reason),
      },
    );
  }

  get lost(): string | undefined {
    return this.#lost;
  }

  /** Connects and does the handshake; rejects with `tool/unavailable`. */
  async open(): Promise<void> {
    const { signal } = this.#options;
    try {
      if (signal?.aborted === true) throw abortFailure(signal);
      const late = `it did not answer the MCP handshake within ${this.#handshakeMs / 1000} s`;
      await unlessAborted(inTime(this.#link.connect(), this.#handshakeMs, late), signal);
      this.#isOpen = this.#lost === undefined;
    } catch (thrown) {
      const words = this.#link.lastWords();
      const fault = words === undefined ? (this.#link.fault() ?? thrown) : new SessionFault('disconnected', words);
      await this.#close('the handshake failed');
      throw this.#unavailable(fault);
    }
  }

  async listTools(): Promise<ListedTools> {
    const deadline = performance.now() + this.#handshakeMs;
    try {
      return await listAllTools(async (cursor) => {
        const params = cursor === undefined ? {} : { cursor };
        const timeoutMs = Math.max(1, deadline - performance.now());
        const answer = await this.#request('tools/list', params, { timeoutMs });
        // Schemas cross threads, which raw JSON cannot.
        if (answer.kind === 'answered') return this.#redact(fieldsOf(JSON.parse(JSON.stringify(answer.result))));
        if (answer.kind === 'failed') throw new Error(answer.reason);
        throw new SessionFault(answer.kind, answer.reason);
      });
    } catch (thrown) {
      throw this.#unavailable(thrown);
    }
  }

  callTool(name: string, args: JsonObject, options: ToolCallOptions): Promise<ToolCallResult> {
    return this.#request('tools/call', { name, arguments: args }, options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#isOpen = false;
    return this.#close('it was closed');
  }

  /** One request and its answer. The result may have any form: its reader checks it. */
  async #request(method: string, params: JsonObject, options: ToolCallOptions): Promise<ToolCallResult> {
    const { timeoutMs, signal } = options;
    if (signal?.aborted === true) throw abortFailure(signal);
    if (this.#lost !== undefined) {
      return { kind: 'disconnected', reason: this.#redact(this.#lost), isUnsent: true };
    }
    const call = new InFlight();
    const id = this.#nextId++;
    const sentAt = performance.now();
    const late = (): void => {
      this.#giveUp(id, 'timed-out', `no answer within ${Math.round(timeoutMs)} ms`);
      if (this.#heardAt < sentAt) void this.#ping();
    };
    const timer = setTimeout(late, Math.min(timeoutMs, LONGEST_TIMER_MS));
    const together = signal && this.#endingWith(signal).add(id);
    this.#calls.set(id, call);
    call.isUnsent = this.#link.send({ jsonrpc: '2.0', id, method, params }, call).then(
      () => false,
      (thrown: unknown) => this.#fail(call, thrown),
    );
    const ended = await call.ended;
    this.#calls.delete(id);
    clearTimeout(timer);
    together?.delete(id);
    const result = this.#explain(ended, signal);
    return result.kind === 'disconnected' ? { ...result, isUnsent: await call.isUnsent } : result;
  }

  /** The calls that end with a signal. A row makes many calls with one signal: a listener for each would cost more than the call. */
  #endingWith(signal: AbortSignal): Set<number> {
    const known = this.#bySignal.get(signal);
    if (known) return known;
    const ids = new Set<number>();
    this.#bySignal.set(signal, ids);
    const abort = (): void => ids.forEach((id) => this.#giveUp(id, 'aborted', 'the run was stopped'));
    signal.addEventListener('abort', abort, { once: true });
    return ids;
  }

  #explain(ended: Ended, signal: AbortSignal | undefined): ToolCallResult {
    if (ended.kind === 'answered') return ended;
    if (ended.kind === 'aborted') throw abortFailure(signal);
    return { kind: ended.kind, reason: this.#redact(ended.reason) };
  }

  /** Ends a call from this side, and sends the server a cancellation. */
  #giveUp(id: number, kind: 'timed-out' | 'aborted', reason: string): void {
    const call = this.#calls.get(id);
    if (!call?.isUnderWay) return;
    call.end(kind, reason);
    const params = { requestId: id, reason };
    this.#link.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => undefined);
  }

  /** Ends a call whose request could not be sent or whose answer could not be read; returns whether it certainly was not sent. */
  #fail(call: InFlight, thrown: unknown): boolean {
    if (this.#lost !== undefined) call.end('disconnected', this.#lost);
    else if (thrown instanceof SessionFault) call.end(thrown.kind, thrown.message);
    else call.answer({ kind: 'failed', reason: withoutPrefix(messageOf(thrown)) });
    return thrown instanceof SessionFault && thrown.isUnsent;
  }

  #take(message: Partial<RpcMessage>): boolean {
    this.#heardAt = performance.now();
    const { id, method } = message;
    if (method === 'notifications/tools/list_changed') this.#options.onToolsChanged?.();
    if (method !== undefined || id === undefined) return false;
    // The call may have been given up.
    this.#calls.get(Number(id))?.answer(this.#readAnswer(message));
    return true;
  }

  /** Redacts errors; a tool's result stays as it is. */
  #readAnswer({ result, error }: Partial<RpcMessage>): ToolCallResult {
    if (typeof result === 'object' && result !== null) {
      const isError = 'isError' in result && result.isError === true;
      return { kind: 'answered', result: isError ? this.#redact(result) : result };
    }
    const { message } = fieldsOf(error);
    const reason = error === undefined ? 'its answer is not an MCP result' : 'it gave no reason';
    return { kind: 'failed', reason: typeof message === 'string' && message !== '' ? withoutPrefix(message) : reason };
  }

  /** Keeps only the kind of a fault as cause: an error of the SDK may quote the key. */
  #unavailable(thrown: unknown): DataDesignerError {
    const kind = thrown instanceof SessionFault ? thrown.kind : undefined;
    const reason = this.#redact(
      `${withoutPrefix(messageOf(thrown))}${kind === 'timed-out' ? this.#link.stderr() : ''}`,
    );
    const cause = kind && new SessionFault(kind, reason);
    return new DataDesignerError('tool/unavailable', { provider: this.#provider.name, reason }, { cause });
  }

  /** Closes the session of a server that sent nothing during a whole call and does not answer a ping. */
  async #ping(): Promise<void> {
    if (this.#pinging || this.#lost !== undefined) return;
    this.#pinging = true;
    const sentAt = performance.now();
    await this.#request('ping', {}, { timeoutMs: this.#options.pingTimeoutMs ?? PING_MS });
    if (this.#heardAt < sentAt) await this.#close('it stopped answering');
    this.#pinging = false;
  }

  /** Records why the connection ended, once; calls in flight end with it. */
  #end(reason: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = reason;
    for (const call of this.#calls.values()) call.end('disconnected', reason);
    if (this.#isOpen) this.#options.onLost?.(this.#redact(reason));
  }

  #close(reason: string): Promise<void> {
    this.#closing ??= (async () => {
      this.#end(reason);
      await this.#link.leave();
      await this.#link.close();
    })();
    return this.#closing;
  }
}

/** The message without the prefix of the SDK. */
function withoutPrefix(message: string): string {
  return message.replace(/^(?:MCP error -?\d+: )+/, '');
}
