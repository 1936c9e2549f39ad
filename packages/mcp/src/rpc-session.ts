import { DataDesignerError, fieldsOf, isDeeperThanCalls, messageOf, type Redact } from '@data-designer/core';
import { redactor } from '@data-designer/core/redact';
import { despiteRateLimit } from './busy-waits.ts';
import { CallLimit } from './call-limit.ts';
import { agree, type Agreement, statelessHeaders } from './handshake.ts';
import { openingAdvice } from './opening-advice.ts';
import { HttpRefusal, mayBeOtherTransport, mayBeRestart, openingReason } from './http-refusal.ts';
import { type RequestEnd, InFlight } from './in-flight.ts';
import type { Link, LinkListener, RpcMessage } from './link.ts';
import { isNamelessError, NamelessErrors } from './nameless-errors.ts';
import { otherTransport, secretsOf, type ToolProvider } from './provider.ts';
import { readAnswer, readRefused, withoutPrefix } from './rpc-answer.ts';
import { answerToServer } from './server-requests.ts';
import { StrayTexts } from './stray-texts.ts';
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
import { SessionTools } from './session-tools.ts';

const HANDSHAKE_MS = 30_000;
/** Time for a ping to a server that sent nothing during a whole call. */
const PING_MS = 5_000;
/** At most so many answers to requests of a server wait to be read by it. */
const MOST_ANSWERS = 1_000;
/** Requests that change nothing at the server. */
const REPEATABLE: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'tools/list', 'ping', 'tasks/get']);

/** The number of one of this side's requests or tokens, which some servers repeat as a text; NaN for anything else. */
function idOf(id: unknown): number {
  return typeof id === 'number' || (typeof id === 'string' && /^\d+$/.test(id)) ? Number(id) : Number.NaN;
}

/** Opens the link of a session. */
type OpenLink = (provider: ToolProvider, options: LinkOptions, listener: LinkListener) => Link;

/** A session over a link: JSON-RPC requests and answers, time limits, and the end of the link. */
export class RpcSession implements ToolSession {
  readonly #provider: ToolProvider;
  readonly #options: SessionOptions;
  readonly #openLink: OpenLink;
  readonly #handshakeMs: number;
  readonly #redact: Redact;
  readonly #calls = new Map<number, InFlight>();
  readonly #bySignal = new WeakMap<AbortSignal, Set<number>>();
  readonly #limits = new Map<number, CallLimit>();
  readonly #tools: SessionTools;
  readonly #nameless = new NamelessErrors();
  readonly #strays: StrayTexts;
  #link: Link;
  #agreement: Agreement = { capabilities: {}, meta: undefined };
  #startBy = Infinity;
  #nextId = 0;
  #isOpen = false;
  /** The refusal of the provider's own transport, if the server refused the other one too. */
  #refusal: unknown;
  #lost: string | undefined;
  #closing: Promise<void> | undefined;
  #heardAt = 0;
  #pinging = false;
  /** Answers to requests of the server that are being sent. */
  #answering = 0;

  constructor(provider: ToolProvider, options: SessionOptions, openLink: OpenLink) {
    this.#provider = provider;
    this.#options = options;
    this.#openLink = openLink;
    this.#handshakeMs = (provider.startTimeoutSec ?? (options.handshakeTimeoutMs ?? HANDSHAKE_MS) / 1_000) * 1_000;
    this.#redact = options.redact ?? redactor(secretsOf(provider));
    this.#strays = new StrayTexts(this.#redact);
    this.#tools = new SessionTools({
      provider,
      redact: this.#redact,
      listMs: this.#handshakeMs,
      agreement: () => this.#agreement,
      ask: (...request) => this.#ask(...request),
    });
    this.#startBy = performance.now() + this.#handshakeMs;
    this.#link = this.#linkTo(provider);
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
      await unlessAborted(inTime(this.#begin(), this.#handshakeMs, late), signal);
      this.#isOpen = this.#lost === undefined;
    } catch (thrown) {
      const fault = this.#faultOf(thrown);
      await this.#close('the handshake failed');
      throw this.#unavailable(fault);
    }
  }

  /** A link whose messages count as long as it is the session's. */
  #linkTo(provider: ToolProvider): Link {
    const isOurs = (): boolean => this.#link === link;
    const link = this.#openLink(
      provider,
      { ...this.#options, redact: this.#redact, startBy: this.#startBy },
      {
        onMessage: (message, call) => this.#take(message, call),
        onStray: (text) => this.#strays.note(text),
        onClose: () => isOurs() && this.#end(link.lastWords() ?? 'its connection was closed'),
        onBreak: (reason) => void (isOurs() && this.#close(reason)),
      },
    );
    return link;
  }

  /** Connects and does the handshake, over the other HTTP transport if the server refuses the provider's. */
  async #begin(): Promise<void> {
    try {
      return await this.#shakeHands();
    } catch (thrown) {
      const first = this.#faultOf(thrown);
      const other = mayBeOtherTransport(first) ? otherTransport(this.#provider) : undefined;
      if (other === undefined || this.#lost !== undefined) throw first;
      const refused = this.#link;
      this.#link = this.#linkTo(other);
      await refused.close();
      await this.#shakeHands().catch(() => {
        this.#refusal = first;
        throw first;
      });
    }
  }

  async #shakeHands(): Promise<void> {
    await this.#link.connect();
    this.#agreement = await agree(this.#link, async (method, params) => {
      const answer = await this.#ask(method, params, { timeoutMs: LONGEST_TIMER_MS });
      if (answer.kind === 'failed' && answer.cause) throw answer.cause;
      if (answer.kind === 'answered' || answer.kind === 'failed') return answer;
      throw new SessionFault(answer.kind, answer.reason);
    });
    this.#nameless.notified(this.#nextId);
  }

  /** What the link knows about an error of opening it. */
  #faultOf(thrown: unknown): unknown {
    if (this.#refusal !== undefined) return this.#refusal;
    const words = this.#link.lastWords();
    return words === undefined ? (this.#link.fault() ?? thrown) : new SessionFault('disconnected', words);
  }

  async listTools(): Promise<ListedTools> {
    try {
      return await this.#tools.list();
    } catch (thrown) {
      throw this.#unavailable(thrown);
    }
  }

  callTool(name: string, args: JsonObject, options: ToolCallOptions): Promise<ToolCallResult> {
    return this.#tools.call({ name, arguments: args }, options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#isOpen = false;
    return this.#close('it was closed');
  }

  /** One request and its answer, sent again while the server answers that it is over a rate limit. */
  #ask(method: string, params: JsonObject, options: ToolCallOptions): Promise<ToolCallResult> {
    const latest = this.#isOpen ? Infinity : this.#startBy;
    return despiteRateLimit((left) => this.#request(method, params, left), options, latest);
  }

  /** One request and its answer. The result may have any form: its reader checks it. */
  async #request(method: string, params: JsonObject, options: ToolCallOptions): Promise<ToolCallResult> {
    const { signal } = options;
    if (signal?.aborted === true) throw abortFailure(signal);
    if (this.#lost !== undefined) {
      return { kind: 'disconnected', reason: this.#redact(this.#lost), isUnsent: true };
    }
    const id = this.#nextId++;
    const call = this.#newCall(method, params, options);
    const sentAt = performance.now();
    const limit = new CallLimit(options, (limitMs) => {
      this.#giveUp(id, 'timed-out', `no answer within ${Math.round(limitMs)} ms`);
      if (this.#heardAt < sentAt) void this.#ping();
    });
    this.#limits.set(id, limit);
    const together = signal && this.#endingWith(signal).add(id);
    this.#calls.set(id, call);
    const message = { jsonrpc: '2.0', id, method, params: this.#withMeta(id, params, options) };
    call.isUnsent = this.#link.send(message, call).then(
      () => false,
      (thrown: unknown) => this.#fail(call, thrown),
    );
    const ended = await call.ended;
    this.#calls.delete(id);
    this.#nameless.settle(this.#calls.values());
    limit.stop();
    this.#limits.delete(id);
    together?.delete(id);
    const result = this.#explain(ended, { signal, sentAt });
    return result.kind === 'disconnected' ? { ...result, isUnsent: await call.isUnsent } : result;
  }

  #newCall(method: string, params: JsonObject, { timeoutMs, longestMs, mayRunTwice }: ToolCallOptions): InFlight {
    const deadline = this.#isOpen ? performance.now() + (longestMs ?? timeoutMs) : this.#startBy;
    const headers = this.#agreement.meta === undefined ? {} : statelessHeaders(method, params.name);
    const repeated = method === 'tools/call' ? this.#tools.headersOf(params) : {};
    const mayBeDeep = method === 'tools/list';
    return new InFlight({
      deadline,
      headers: { ...headers, ...repeated },
      mayBeDeep,
      mayRunTwice: mayRunTwice === true || REPEATABLE.has(method),
    });
  }

  /** The parameters with what the protocol version and the reports of progress need. */
  #withMeta(id: number, params: JsonObject, { longestMs }: ToolCallOptions): JsonObject {
    const { meta } = this.#agreement;
    if (meta === undefined && longestMs === undefined) return params;
    return { ...params, _meta: { ...meta, ...(longestMs !== undefined && { progressToken: id }) } };
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

  #explain(
    ended: RequestEnd,
    { signal, sentAt }: { readonly signal: AbortSignal | undefined; readonly sentAt: number },
  ): ToolCallResult {
    if (ended.kind === 'answered') return ended;
    if (ended.kind === 'aborted') throw abortFailure(signal);
    const reason = this.#redact(ended.reason);
    if (ended.kind === 'failed') return { ...ended, reason };
    const hint = this.#strays.after(sentAt);
    return { ...ended, kind: ended.kind, reason: `${reason}${hint}`, ...(hint && { hint }) };
  }

  /** Ends a call from this side, and sends the server a cancellation. */
  #giveUp(id: number, kind: 'timed-out' | 'aborted', reason: string): void {
    const call = this.#calls.get(id);
    if (!call?.isUnderWay) return;
    call.end(kind, reason);
    const params = { requestId: id, reason };
    this.#nameless.notified(this.#nextId);
    this.#link.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => undefined);
  }

  /** Ends a call whose request could not be sent or whose answer could not be read; returns whether it certainly was not sent. */
  #fail(call: InFlight, thrown: unknown): boolean {
    if (this.#lost !== undefined) call.end('disconnected', this.#lost);
    else if (thrown instanceof SessionFault) call.end(thrown.kind, thrown.message);
    else if (thrown instanceof HttpRefusal) call.answer(readRefused(thrown));
    else call.answer({ kind: 'failed', reason: withoutPrefix(messageOf(thrown)) });
    return thrown instanceof SessionFault && thrown.isUnsent;
  }

  #take(message: Partial<RpcMessage>, call?: InFlight): void {
    // A log line may look like an answer.
    if (message.jsonrpc !== '2.0') return this.#noteStray(message);
    this.#heardAt = performance.now();
    const { id, method, params } = message;
    if (method === 'notifications/tools/list_changed') this.#options.onToolsChanged?.();
    if (method === 'notifications/progress') this.#limits.get(idOf(fieldsOf(params).progressToken))?.extend();
    if (isNamelessError(message)) return this.#takeNameless(message, call);
    const isRequest = typeof method === 'string';
    if (id === undefined || id === null) return isRequest ? undefined : this.#noteStray(message);
    if (isRequest) return this.#answer(message);
    this.#takeAnswer(message, call);
  }

  /** Takes an answer for its request. What answers the HTTP request of one call is no answer to another. */
  #takeAnswer(message: Partial<RpcMessage>, call: InFlight | undefined): void {
    const id = idOf(message.id);
    const own = this.#calls.get(id);
    // The call may have been given up.
    if (own === undefined && id < this.#nextId) return;
    if (own === undefined || (call !== undefined && call !== own)) return this.#noteStray(message);
    this.#nameless.answered(id);
    own.answer(readAnswer(message, { redact: this.#redact, mayBeDeep: own.mayBeDeep }));
  }

  #noteStray(message: Partial<RpcMessage>): void {
    if (!isDeeperThanCalls(message)) this.#strays.note(message);
  }

  /** Takes an error without the id of a request, for the call whose request it answers or for one that is open. */
  #takeNameless(message: Partial<RpcMessage>, call: InFlight | undefined): void {
    const answer = readAnswer(message, { redact: this.#redact });
    if (call) call.answer(answer);
    else this.#nameless.add(message, answer, this.#calls.values());
  }

  /** Answers a request of the server. A server that reads no answers gets no more of them. */
  #answer(request: Partial<RpcMessage>): void {
    if (this.#answering >= MOST_ANSWERS) return;
    this.#answering++;
    const sent = this.#link.send(answerToServer(request));
    sent.catch(() => undefined).finally(() => this.#answering--);
  }

  /** Keeps only the kind of a fault as cause: an error of the SDK may quote the key. */
  #unavailable(thrown: unknown): DataDesignerError {
    const kind = thrown instanceof SessionFault ? thrown.kind : mayBeRestart(thrown) ? 'disconnected' : undefined;
    const text = thrown instanceof Error ? openingReason(thrown) : messageOf(thrown);
    const noise = kind !== undefined && !this.#isOpen ? this.#strays.after(0) : '';
    const reason = this.#redact(`${withoutPrefix(text)}${noise}${kind === 'timed-out' ? this.#link.stderr() : ''}`);
    const cause = kind && new SessionFault(kind, reason);
    const advice = { reason: text, redact: this.#redact, hasStrayText: noise !== '' };
    // A command that is not found is in the reason.
    const isStarted =
      this.#provider.providerType !== 'stdio' || this.#link.lastWords() !== undefined || kind === 'timed-out';
    const remedy = !this.#isOpen && isStarted ? { remedy: openingAdvice(this.#provider, advice) } : {};
    return new DataDesignerError('tool/unavailable', { provider: this.#provider.name, reason, ...remedy }, { cause });
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
