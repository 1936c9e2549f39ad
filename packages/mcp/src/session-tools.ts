import { isDeepStrictEqual } from 'node:util';
import type { Redact } from '@data-designer/core';
import { mostBytesOf, oversized } from './bounded-body.ts';
import type { Agreement } from './handshake.ts';
import { headersOfCall, type ParameterHeaders, readParameterHeaders } from './parameter-headers.ts';
import type { ToolProvider } from './provider.ts';
import { callAsTask, runsTasks } from './task-call.ts';
import { listAllTools, withoutDeepTools } from './tool-listing.ts';
import {
  inTime,
  type JsonObject,
  type ListedTools,
  SessionFault,
  type ToolCallOptions,
  type ToolCallResult,
  unlessAborted,
} from './tool-session.ts';

/** The tools are listed again because of refused headers at most once in this time. */
const RELIST_MS = 10_000;

type NamedCall = JsonObject & { readonly name: string };

/** What the tools of a session need of it. */
interface ToolRequests {
  readonly provider: ToolProvider;
  readonly redact: Redact;
  /** The time of a listing. */
  readonly listMs: number;
  /** What both sides agreed on in the handshake. */
  readonly agreement: () => Agreement;
  readonly ask: (method: string, params: JsonObject, options: ToolCallOptions) => Promise<ToolCallResult>;
}

/** The tools of a session: their list, the parameters that calls repeat as headers, and the tools that run as tasks. */
export class SessionTools {
  readonly #session: ToolRequests;
  /** The tools that the server runs only as tasks, as far as this session knows. */
  readonly #taskTools = new Set<string>();
  /** The headers of calls; undefined until the tools are listed. */
  #headers: ParameterHeaders | undefined;
  #listing: Promise<unknown> | undefined;
  /** The latest listing after a refusal of headers. */
  #relisting: { readonly since: number; readonly ended: Promise<unknown> } | undefined;

  constructor(session: ToolRequests) {
    this.#session = session;
  }

  /** Lists the tools; throws what ends the listing. */
  async list(): Promise<ListedTools> {
    const deadline = performance.now() + this.#session.listMs;
    let bytes = 0;
    const mostBytes = mostBytesOf(this.#session.provider);
    const listed = await listAllTools(async (cursor) => {
      const params = cursor === undefined ? {} : { cursor };
      const timeoutMs = Math.max(1, deadline - performance.now());
      const answer = await this.#session.ask('tools/list', params, { timeoutMs });
      // Schemas cross threads, which raw JSON cannot.
      const copy = (value: unknown): unknown => {
        const text = JSON.stringify(value) ?? 'null';
        if ((bytes += text.length) > mostBytes) throw new Error(oversized('its list of tools', mostBytes));
        return this.#session.redact(JSON.parse(text));
      };
      if (answer.kind === 'answered') return withoutDeepTools(answer.result, copy);
      if (answer.kind === 'failed' && answer.isSessionDoubt !== true) throw answer.cause ?? new Error(answer.reason);
      if (answer.kind === 'failed') throw new SessionFault('disconnected', answer.reason);
      throw new SessionFault(answer.kind, answer.reason);
    });
    if (!this.#repeatsParameters) return listed;
    const { tools, headers } = readParameterHeaders(listed);
    this.#headers = headers;
    return tools;
  }

  /** Whether calls repeat parameters as headers: so does the version without a handshake, over HTTP. */
  get #repeatsParameters(): boolean {
    return this.#session.agreement().meta !== undefined && this.#session.provider.providerType !== 'stdio';
  }

  /** Calls a tool, once more after a refusal of its headers. */
  async call(params: NamedCall, options: ToolCallOptions): Promise<ToolCallResult> {
    if (!this.#repeatsParameters) return this.#call(params, options);
    // A resumed run knows the tools without a listing. A call without the headers would tell why it fails.
    if (!this.#headers) await (this.#listing ??= this.list().catch(() => undefined));
    const begun = performance.now();
    const headers = this.headersOf(params);
    const result = await this.#call(params, options);
    if (result.kind !== 'failed' || result.isHeaderMismatch !== true) return result;
    const left = (ms: number): number => Math.max(1, ms - (performance.now() - begun));
    const isUnchanged = (): boolean => isDeepStrictEqual(headers, this.headersOf(params));
    if (isUnchanged()) await this.#listAgain(left(options.timeoutMs), options.signal);
    if (isUnchanged()) return result;
    const longestMs = options.longestMs === undefined ? undefined : left(options.longestMs);
    return this.#call(params, { ...options, timeoutMs: left(options.timeoutMs), longestMs });
  }

  /** Lists the tools after a refusal of headers: a schema may have changed. Calls that are refused together share it. */
  async #listAgain(timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    const now = performance.now();
    if (this.#relisting === undefined || now - this.#relisting.since > RELIST_MS)
      this.#relisting = { since: now, ended: this.list() };
    const inItsTime = inTime(this.#relisting.ended, timeoutMs, '').catch(() => undefined);
    await unlessAborted(inItsTime, signal);
  }

  /** The parameters of a call that are headers too. */
  headersOf(params: JsonObject): Readonly<Record<string, string>> {
    return this.#headers ? headersOfCall(this.#headers, params) : {};
  }

  async #call(params: NamedCall, options: ToolCallOptions): Promise<ToolCallResult> {
    const { name } = params;
    const mayBeTask = runsTasks(this.#session.agreement().capabilities);
    if (!mayBeTask || !this.#taskTools.has(name)) {
      const result = await this.#session.ask('tools/call', params, options);
      if (!mayBeTask || result.kind !== 'failed' || result.isUnknownMethod !== true) return result;
      this.#taskTools.add(name);
    }
    return callAsTask({ params, options, ask: this.#session.ask });
  }
}
