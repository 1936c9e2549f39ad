import {
  type Call,
  type CallOutcome,
  DataDesignerError,
  OPEN_ROWS,
  readSecret,
  redactor,
  type Resource,
  resolveSecret,
  type ToolSchema,
} from '@data-designer/core';
import type { MCPProvider, ModelProvider, Providers } from '@data-designer/config';
import { readToolRequest, type ToolProvider, ToolSessions } from '@data-designer/mcp';
import { Admission, type Permit } from './admission.ts';
import { ModelEndpoint } from './model-endpoint.ts';

/** What the I/O thread is given: the plan's resources and how their providers are reached. */
export interface OutsideOptions {
  readonly resources: readonly Resource[];
  readonly providers: Providers;
  /** Tools by provider as models are to be told of them; where a provider is absent, as it lists them now. */
  readonly frozen: Readonly<Record<string, readonly ToolSchema[]>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** An outcome, and whether the journal keeps it. */
interface Sent {
  readonly outcome: CallOutcome;
  readonly keep: boolean;
}

interface Reach {
  readonly resource: Resource;
  readonly admission: Admission;
}

/** Everything a run can reach: one queue for each resource, connections for each provider, keys resolved here only. */
export class Outside implements AsyncDisposable {
  readonly #reaches: ReadonlyMap<string, Reach>;
  readonly #openRows: Admission;
  readonly #paused = new AbortController();
  readonly #endpoints = new Map<string, ModelEndpoint>();
  readonly #tools: ReadonlyMap<string, ToolProvider>;
  readonly #sessions = new ToolSessions();
  readonly #frozen: OutsideOptions['frozen'];
  readonly #redact: (text: string) => string;

  constructor({ resources, providers, frozen, environment }: OutsideOptions) {
    this.#frozen = frozen;
    this.#reaches = new Map(
      resources.map((resource) => [resource.id, { resource, admission: new Admission(resource.limit) }]),
    );
    // Twice what can be under way: enough that a place never waits for a row, few enough that memory stays flat.
    this.#openRows = new Admission(2 * resources.reduce((sum, { limit }) => sum + limit, 0));
    const secrets: string[] = [];
    const resolve = (key: string | null, owner: string): string | undefined => {
      if (!key) return undefined;
      const secret = resolveSecret(readSecret(key), environment, owner);
      secrets.push(secret);
      return secret;
    };
    const used = (kind: Resource['kind'], name: string) =>
      resources.filter((resource) => resource.kind === kind && resource.provider === name);
    for (const provider of providers.models) {
      const connections = used('model', provider.name).reduce((sum, { limit }) => sum + limit, 0);
      if (connections > 0) secrets.push(...Object.values(provider.extraHeaders ?? {}));
      if (connections > 0) this.#endpoints.set(provider.name, openEndpoint(provider, resolve, connections));
    }
    const tools = providers.tools.filter(({ name }) => used('tools', name).length > 0);
    this.#tools = new Map(tools.map((provider) => [provider.name, resolveTools(provider, resolve)]));
    this.#redact = redactor(secrets);
  }

  admission(resource: string): Admission {
    return resource === OPEN_ROWS ? this.#openRows : this.#reach(resource).admission;
  }

  /** Sends an admitted call to where its resource lives. Secrets are blotted out of what comes back in words. */
  async send(call: Call, { permit, signal }: { permit: Permit; signal: AbortSignal }): Promise<Sent> {
    const { resource, admission } = this.#reach(call.resource);
    if (resource.kind === 'tools') return this.#callTool(call, { resource, permit, signal });
    const endpoint = this.#endpoints.get(resource.provider) as ModelEndpoint;
    const outcome = await endpoint.send(call, { permit, admission, signal, paused: this.#paused.signal });
    if (outcome.status >= 300) return { outcome: { ...outcome, body: this.#redact(outcome.body) }, keep: false };
    return { outcome, keep: /json/.test(outcome.headers['content-type'] ?? '') };
  }

  /** Aborted once nothing new may be sent. */
  get paused(): AbortSignal {
    return this.#paused.signal;
  }

  /** From now on nothing new is admitted or sent; what is under way goes on. */
  pause(): void {
    this.#paused.abort();
    this.#openRows.pause();
    for (const { admission } of this.#reaches.values()) admission.pause();
  }

  /** The tools of a provider as models are told of them. */
  async frozenTools(name: string): Promise<readonly ToolSchema[]> {
    return this.#frozen[name] ?? this.listTools(name);
  }

  /** The tools of a provider as it lists them; throws `tool/unavailable`. */
  listTools(name: string): Promise<readonly ToolSchema[]> {
    return this.#sessions.listTools(this.#provider(name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([
      this.#sessions[Symbol.asyncDispose](),
      ...[...this.#endpoints.values()].map((endpoint) => endpoint[Symbol.asyncDispose]()),
    ]);
  }

  async #callTool(
    call: Call,
    { resource, permit, signal }: { resource: Resource; permit: Permit; signal: AbortSignal },
  ): Promise<Sent> {
    try {
      const provider = this.#provider(resource.provider);
      const { timeoutMs } = call;
      const outcome = await this.#sessions.call(provider, readToolRequest(call.body), { timeoutMs, signal });
      return { outcome, keep: true };
    } finally {
      permit.release();
    }
  }

  #provider(name: string): ToolProvider {
    const provider = this.#tools.get(name);
    if (provider) return provider;
    throw new DataDesignerError('tool/unavailable', {
      provider: name,
      reason: 'no provider of that name is configured',
    });
  }

  #reach(id: string): Reach {
    const reach = this.#reaches.get(id);
    if (reach) return reach;
    throw new DataDesignerError('internal/unexpected', { reason: `the resource '${id}' is not in the plan` });
  }
}

type Resolve = (key: string | null, owner: string) => string | undefined;

function openEndpoint(provider: ModelProvider, resolve: Resolve, connections: number): ModelEndpoint {
  const { name, endpoint, extraHeaders } = provider;
  const apiKey = resolve(provider.apiKey, `Model provider '${name}'`);
  return new ModelEndpoint({ endpoint, apiKey, extraHeaders: extraHeaders ?? {} }, connections);
}

function resolveTools(provider: MCPProvider, resolve: Resolve): ToolProvider {
  if (provider.providerType === 'stdio') return provider;
  const { name, providerType, endpoint } = provider;
  const apiKey = resolve(provider.apiKey, `MCP provider '${name}'`);
  return { name, providerType, endpoint, ...(apiKey === undefined ? {} : { apiKey }) };
}
