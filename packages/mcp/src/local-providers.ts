import { type CallOutcome, DataDesignerError, type ToolSchema } from '@data-designer/core';
import type { LocalCalls } from './local-calls.ts';
import { LocalModule, type LocalModuleOptions } from './local-module.ts';
import type { LocalToolSource } from './local-provider.ts';
import type { ToolRequest } from './tool-request.ts';
import type { ToolCallOptions } from './tool-session.ts';

/** The calls and the list of one local provider's tools. */
interface Reach {
  readonly listTools: () => Promise<readonly ToolSchema[]>;
  readonly call: (request: ToolRequest, options: ToolCallOptions) => Promise<CallOutcome>;
}

/** The options of the local providers. */
export interface LocalProvidersOptions extends LocalModuleOptions {
  /** Calls to the thread of the calling program; absent if its functions cannot be run. */
  readonly host?: LocalCalls | undefined;
}

/** The local providers of a run: functions of the calling program on its thread, modules in threads of their own. */
export class LocalProviders implements AsyncDisposable {
  readonly #modules: LocalModule[] = [];
  readonly #reach = new Map<string, Reach>();
  readonly #prefixes: ReadonlyMap<string, string | undefined>;

  constructor(sources: readonly LocalToolSource[], options: LocalProvidersOptions = {}) {
    this.#prefixes = new Map(sources.map(({ name, toolPrefix }) => [name, toolPrefix]));
    for (const source of sources) this.#reach.set(source.name, this.#open(source, options));
  }

  has(provider: string): boolean {
    return this.#reach.has(provider);
  }

  /** The prefix of a provider's tool names in requests. */
  prefixOf(provider: string): string | undefined {
    return this.#prefixes.get(provider);
  }

  /** The tools of a provider; rejects with `tool/unavailable`. */
  listTools(provider: string): Promise<readonly ToolSchema[]> {
    return this.#of(provider).listTools();
  }

  /** Runs a tool as `ToolSessions.call` does; rejects only with `run/aborted`, when the signal is aborted. */
  call(provider: string, request: ToolRequest, options: ToolCallOptions): Promise<CallOutcome> {
    return this.#of(provider).call(request, options);
  }

  /** Ends the threads of modules. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#modules.map((module) => module[Symbol.asyncDispose]()));
  }

  #open(source: LocalToolSource, options: LocalProvidersOptions): Reach {
    if ('module' in source) {
      const module = new LocalModule(source, options);
      this.#modules.push(module);
      return { listTools: () => module.listTools(), call: (...given) => module.call(...given) };
    }
    const { name, tools } = source;
    const { host } = options;
    return {
      listTools: () => Promise.resolve(tools),
      call: async (...given) => {
        if (host) return host.call(name, ...given);
        return { status: 502, headers: {}, body: 'its program cannot be reached from here' };
      },
    };
  }

  #of(provider: string): Reach {
    const reach = this.#reach.get(provider);
    if (reach) return reach;
    throw noProvider(provider);
  }
}

/** The failure of a call to a tool provider that is not configured. */
export function noProvider(provider: string): DataDesignerError {
  return new DataDesignerError('tool/unavailable', { provider, reason: 'no provider of this name is configured' });
}
