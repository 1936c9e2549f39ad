import type { Call, CallOutcome, Gateway, ToolSchema } from '@data-designer/core';
import { readToolRequest, type ToolProvider, type ToolSessions } from '@data-designer/mcp';

/** A gateway without threads, journal and limits: it hands every call straight to the sessions. */
export class DirectGateway implements Gateway {
  readonly calls: Call[] = [];
  listings = 0;
  readonly #sessions: ToolSessions;
  readonly #providers: ReadonlyMap<string, ToolProvider>;

  constructor(sessions: ToolSessions, providers: readonly ToolProvider[]) {
    this.#sessions = sessions;
    this.#providers = new Map(providers.map((provider) => [provider.name, provider]));
  }

  admit(): Promise<void> {
    return Promise.resolve();
  }

  call(call: Call): Promise<CallOutcome> {
    this.calls.push(call);
    const provider = this.#provider(call.resource.replace(/^tools\//, ''));
    return this.#sessions.call(provider, readToolRequest(call.body), { timeoutMs: call.timeoutMs });
  }

  listTools(provider: string): Promise<readonly ToolSchema[]> {
    this.listings++;
    return this.#sessions.listTools(this.#provider(provider));
  }

  cancel(): void {}

  #provider(name: string): ToolProvider {
    const provider = this.#providers.get(name);
    if (provider === undefined) throw new Error(`No provider '${name}'.`);
    return provider;
  }
}
