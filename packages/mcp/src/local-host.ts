import { DataDesignerError, moduleAddress, TOOL_PREFIX } from '@data-designer/core';
import type { LocalAsk, ToolEnded } from './local-messages.ts';
import type { LocalToolProvider, LocalToolSource } from './local-provider.ts';
import { LocalTools, type LocalToolsOptions } from './local-tools.ts';

/** The local providers of a run in the thread of the calling program, which runs their functions and names the modules. */
export class LocalHost {
  /** The providers as the I/O thread gets them. */
  readonly sources: readonly LocalToolSource[];
  readonly #functions = new Map<string, LocalTools>();

  /** Throws `tool/invalid` and `tool/unavailable` for tools that cannot be called. */
  constructor(providers: readonly LocalToolProvider[], options: LocalToolsOptions = {}) {
    this.sources = providers.map((provider) => {
      const { name, toolPrefix } = provider;
      if (toolPrefix !== undefined && !TOOL_PREFIX.test(toolPrefix)) {
        const reason = `its toolPrefix '${toolPrefix}' must be 1 to 32 letters, digits, _ or -`;
        throw new DataDesignerError('tool/unavailable', { provider: name, reason });
      }
      if ('module' in provider) return { name, toolPrefix, module: moduleAddress(provider.module) };
      const tools = new LocalTools(provider, options);
      this.#functions.set(name, tools);
      return { name, toolPrefix, tools: tools.schemas };
    });
  }

  /** Takes a message of the I/O thread; `reply` gets the outcome of a call unless it was cancelled. */
  take(ask: LocalAsk, reply: (ended: ToolEnded) => void): void {
    if (ask.kind === 'run-tool') return this.#functions.get(ask.provider)?.take(ask, reply);
    for (const tools of this.#functions.values()) tools.take(ask, reply);
  }

  /** Aborts every call. */
  cancelAll(): void {
    for (const tools of this.#functions.values()) tools.cancelAll();
  }
}
