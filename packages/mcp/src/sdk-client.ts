import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataDesignerError, redactor, type ToolSchema } from '@data-designer/core';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport, SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { McpError, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { InFlight } from './in-flight.ts';
import { type RemoteToolProvider, secretsOf, type ToolProvider } from './provider.ts';
import { StdioProcess } from './stdio-process.ts';
import { listAllTools } from './tool-listing.ts';
import { abortFailure, type JsonObject, SessionFault, unlessAborted } from './tool-session.ts';
import type { SessionOptions, ToolCallOptions, ToolCallResult, ToolSession } from './tool-session.ts';
import { watchedFetch } from './watched-fetch.ts';

const HANDSHAKE_MS = 30_000;
const GRACE_MS = 2_000;
/** How long a remote server may take to hear that its session is over. */
const LEAVE_MS = 1_000;
/** The longest a timer can run: the limits of a call are ours, not the SDK's. */
const LONGEST_MS = 2 ** 31 - 1;

/** A transport and what only its kind knows. */
interface Link {
  readonly transport: Transport;
  /** Makes the call in flight known to the fetches made for it. */
  readonly carry: <T>(call: InFlight, work: () => T) => T;
  /** How the server's process ended; undefined while it runs, and for a server that is not ours to run. */
  readonly lastWords: () => string | undefined;
  /** What the server wrote to stderr, as a part of a sentence; empty if nothing. */
  readonly stderr: () => string;
  /** Takes leave of the server, if its kind of transport has a way to. */
  readonly leave: () => Promise<void>;
}

/** Opens a session with the official SDK; see `openSession`. */
export async function openSdkSession(provider: ToolProvider, options: SessionOptions): Promise<ToolSession> {
  if (provider.providerType !== 'stdio' && !URL.canParse(provider.endpoint)) {
    throw new DataDesignerError('tool/unavailable', {
      provider: provider.name,
      reason: 'its endpoint is not an address',
    });
  }
  const session = new SdkSession(provider, options);
  await session.open(options.signal);
  return session;
}

class SdkSession implements ToolSession {
  readonly #provider: ToolProvider;
  readonly #handshakeMs: number;
  readonly #link: Link;
  readonly #redact: (text: string) => string;
  readonly #client = new Client({ name: 'data-designer', version: '0.1.0' }, { capabilities: {} });
  #closed: string | undefined;
  #closing: Promise<void> | undefined;

  constructor(provider: ToolProvider, options: SessionOptions) {
    this.#provider = provider;
    this.#handshakeMs = options.handshakeTimeoutMs ?? HANDSHAKE_MS;
    this.#redact = redactor(secretsOf(provider));
    this.#link = linkTo(provider, options);
    Object.assign(this.#client, {
      onclose: () => (this.#closed ??= this.#link.lastWords() ?? 'its connection was closed'),
      // The event stream of an SSE server carries every answer, and a new one belongs to a new session.
      onerror: (error: Error) => error instanceof SseError && this.#close('its event stream broke off'),
    });
  }

  get closed(): boolean {
    return this.#closed !== undefined;
  }

  async open(signal: AbortSignal | undefined): Promise<void> {
    try {
      if (signal?.aborted === true) throw abortFailure(signal);
      const connected = this.#client.connect(this.#link.transport, { timeout: LONGEST_MS });
      await unlessAborted(this.#inTime(connected), signal);
    } catch (thrown) {
      const words = this.#link.lastWords();
      const fault = words === undefined ? thrown : new SessionFault('disconnected', words);
      await this.#close('the handshake failed');
      throw this.#unavailable(fault);
    }
  }

  async listTools(): Promise<readonly ToolSchema[]> {
    const deadline = performance.now() + this.#handshakeMs;
    try {
      return await listAllTools(async (cursor) => {
        const params = cursor === undefined ? {} : { cursor };
        const timeoutMs = Math.max(1, deadline - performance.now());
        const answer = await this.#request({ method: 'tools/list', params }, { timeoutMs });
        if (answer.kind === 'answered') return answer.result;
        if (answer.kind === 'failed') throw new Error(answer.reason);
        throw new SessionFault(answer.kind, answer.reason);
      });
    } catch (thrown) {
      throw this.#unavailable(thrown);
    }
  }

  async callTool(name: string, args: JsonObject, options: ToolCallOptions): Promise<ToolCallResult> {
    const answer = await this.#request({ method: 'tools/call', params: { name, arguments: args } }, options);
    if (answer.kind !== 'answered' || answer.result.isError !== true) return answer;
    return { kind: 'answered', result: JSON.parse(this.#redact(JSON.stringify(answer.result))) as JsonObject };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close('it was closed');
  }

  async #request(request: { method: string; params: object }, options: ToolCallOptions): Promise<ToolCallResult> {
    const { timeoutMs, signal } = options;
    if (signal?.aborted === true) throw abortFailure(signal);
    const call = new InFlight();
    const late = (): void => call.end('timed-out', `no answer within ${Math.round(timeoutMs)} ms`);
    const timer = setTimeout(late, Math.min(timeoutMs, LONGEST_MS));
    const abort = (): void => call.end('aborted', 'the run was stopped');
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const result = await this.#link.carry(call, () => this.#send(request, call));
      return { kind: 'answered', result };
    } catch (thrown) {
      if (call.ending === 'aborted' && signal) throw abortFailure(signal);
      return this.#explain(call, thrown);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Asks for any result at all: the reader of a result knows what it can use of it. */
  #send(request: { method: string; params: object }, call: InFlight): Promise<JsonObject> {
    const onresumptiontoken = (): void => {
      call.resumable = true;
    };
    const options = { signal: call.signal, timeout: LONGEST_MS, onresumptiontoken };
    return this.#client.request(request as never, ResultSchema, options);
  }

  #explain(call: InFlight, thrown: unknown): ToolCallResult {
    if (this.#closed !== undefined) call.end('disconnected', this.#closed);
    if (call.ending !== undefined && call.ending !== 'aborted') {
      return { kind: call.ending, reason: this.#redact(call.reason) };
    }
    const reason = this.#redact(messageOf(thrown));
    return { kind: thrown instanceof SessionFault ? thrown.kind : 'failed', reason };
  }

  #inTime<T>(handshake: Promise<T>): Promise<T> {
    const reason = `it did not shake hands within ${this.#handshakeMs} ms`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new SessionFault('timed-out', reason)), this.#handshakeMs);
      handshake.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  /** Keeps no cause but the kind of a fault: what the SDK threw may quote the key. */
  #unavailable(thrown: unknown): DataDesignerError {
    const kind = thrown instanceof SessionFault ? thrown.kind : undefined;
    const reason = this.#redact(`${messageOf(thrown)}${kind === 'timed-out' ? this.#link.stderr() : ''}`);
    const cause = kind && new SessionFault(kind, reason);
    return new DataDesignerError('tool/unavailable', { provider: this.#provider.name, reason }, { cause });
  }

  #close(reason: string): Promise<void> {
    this.#closing ??= (async () => {
      this.#closed ??= reason;
      await this.#link.leave();
      await this.#link.transport.close();
    })();
    return this.#closing;
  }
}

function linkTo(provider: ToolProvider, options: SessionOptions): Link {
  if (provider.providerType !== 'stdio') return remoteLink(provider, options);
  const environment = { ...getDefaultEnvironment(), ...provider.env };
  const transport = new StdioProcess(provider, environment, options.graceMs ?? GRACE_MS);
  return {
    transport,
    carry: (_call, work) => work(),
    lastWords: () => transport.lastWords,
    stderr: () => transport.stderr,
    leave: () => Promise.resolve(),
  };
}

function remoteLink(provider: RemoteToolProvider, options: SessionOptions): Link {
  const calls = new AsyncLocalStorage<InFlight>();
  const headers: Record<string, string> = provider.apiKey ? { authorization: `Bearer ${provider.apiKey}` } : {};
  const settings = { fetch: watchedFetch(options.fetch ?? fetch, calls), requestInit: { headers } };
  const link: Omit<Link, 'transport' | 'leave'> = {
    carry: (call, work) => calls.run(call, work),
    lastWords: () => undefined,
    stderr: () => '',
  };
  const url = new URL(provider.endpoint);
  if (provider.providerType === 'sse') {
    return { ...link, transport: new SSEClientTransport(url, settings), leave: () => Promise.resolve() };
  }
  const transport = new StreamableHTTPClientTransport(url, settings);
  const leave = async (): Promise<void> => {
    const told = transport.terminateSession().catch(() => undefined);
    await Promise.race([told, sleep(LEAVE_MS, undefined, { ref: false })]);
  };
  return { ...link, transport, leave };
}

/** The message of an error, without the prefix that the SDK sets before what a server said, on both sides. */
function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return thrown instanceof McpError ? message.replace(/^(?:MCP error -?\d+: )+/, '') : message;
}
