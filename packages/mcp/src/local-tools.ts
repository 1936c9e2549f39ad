import { DataDesignerError, stringifyJson, type ToolSchema } from '@data-designer/core';
import type { ToolContext } from './define-tool.ts';
import { InFlight } from './in-flight.ts';
import type { LocalAsk, ToolEnded, ToolNote } from './local-messages.ts';
import type { FunctionToolProvider } from './local-provider.ts';
import { mcpResultOf } from './local-result.ts';
import { type LocalTool, localTool } from './local-tool.ts';
import { reasonOf } from './reason-of.ts';
import { LONGEST_TIMER_MS } from './tool-session.ts';

type RunTool = LocalAsk & { readonly kind: 'run-tool' };

/** The options of a provider's functions. */
export interface LocalToolsOptions {
  /** Gets the logs and progress of functions; must not throw. */
  readonly onNote?: ((note: ToolNote) => void) | undefined;
}

/**
 * Runs the functions of one provider in this thread. Every call ends with an outcome: 200 with an MCP result, 502 with the
 * error that the function threw, 504 at its time limit.
 */
export class LocalTools {
  readonly #provider: FunctionToolProvider;
  readonly #onNote: (note: ToolNote) => void;
  readonly #tools = new Map<string, LocalTool>();
  readonly #running = new Map<number, InFlight>();

  /** Throws `tool/invalid` for a tool that cannot be called, `tool/unavailable` for two of one name. */
  constructor(provider: FunctionToolProvider, { onNote = () => {} }: LocalToolsOptions = {}) {
    this.#provider = provider;
    this.#onNote = onNote;
    for (const definition of provider.tools) {
      const tool = localTool(definition);
      const { name } = tool.schema.function;
      const reason = `it has two tools named '${name}'`;
      if (this.#tools.has(name)) throw new DataDesignerError('tool/unavailable', { provider: provider.name, reason });
      this.#tools.set(name, tool);
    }
  }

  /** These tools as requests describe them. */
  get schemas(): readonly ToolSchema[] {
    return [...this.#tools.values()].map(({ schema }) => schema);
  }

  /** Takes a message of the I/O thread; `reply` gets the outcome of a call unless it was cancelled. */
  take(ask: LocalAsk, reply: (ended: ToolEnded) => void): void {
    if (ask.kind === 'cancel-tool') {
      this.#running.get(ask.id)?.end('aborted', 'the call was cancelled');
      return;
    }
    const call = new InFlight();
    this.#running.set(ask.id, call);
    void this.#run(ask, call).then((ended) => {
      this.#running.delete(ask.id);
      if (ended) reply(ended);
    });
  }

  /** Aborts every call. */
  cancelAll(): void {
    for (const call of this.#running.values()) call.end('aborted', 'the run is over');
    this.#running.clear();
  }

  async #run(ask: RunTool, call: InFlight): Promise<ToolEnded | undefined> {
    const { id, timeoutMs } = ask;
    const late = () => call.end('timed-out', `no answer within ${Math.round(timeoutMs)} ms`);
    const timer = setTimeout(late, Math.min(timeoutMs, LONGEST_TIMER_MS));
    let body = '';
    this.#bodyOf(ask, call).then(
      (text) => {
        body = text;
        call.answer({ kind: 'answered', result: {} });
      },
      (thrown: unknown) => call.answer({ kind: 'failed', reason: reasonOf(thrown) }),
    );
    const ended = await call.ended;
    clearTimeout(timer);
    if (ended.kind === 'aborted') return undefined;
    if (ended.kind === 'answered') return { kind: 'tool-ended', id, status: 200, body };
    return { kind: 'tool-ended', id, status: ended.kind === 'timed-out' ? 504 : 502, body: ended.reason };
  }

  async #bodyOf({ name, arguments: args, row }: RunTool, call: InFlight): Promise<string> {
    const tool = this.#tools.get(name);
    if (tool === undefined) throw new Error(`the provider '${this.#provider.name}' has no tool of this name`);
    return stringifyJson(mcpResultOf(await tool.run(args, this.#contextOf({ tool: name, row }, call))));
  }

  #contextOf(
    { tool, row }: { readonly tool: string; readonly row: ToolContext['row'] },
    { signal }: InFlight,
  ): ToolContext {
    const { name: provider, readResource } = this.#provider;
    return {
      signal,
      ...(row && { row }),
      log: (said: unknown) => this.#onNote({ type: 'tool-log', provider, tool, message: String(said) }),
      progress: (done, total = null) => this.#onNote({ type: 'tool-progress', provider, tool, done, total }),
      readResource: async (uri) => {
        if (readResource === undefined) throw new Error(`the provider '${provider}' offers no resources`);
        return readResource(uri);
      },
    };
  }
}
