import { type CallOutcome, DataDesignerError, isFailure, type ToolSchema } from '@data-designer/core';
import { providerKey, type ToolProvider } from './provider.ts';
import { SessionPool } from './session-pool.ts';
import type { SlotOptions } from './session-slot.ts';
import type { ToolRequest } from './tool-request.ts';
import type { SessionEvent, SessionOptions, ToolCallOptions, ToolCallResult } from './tool-session.ts';

/** How all sessions are opened, and who hears of them. */
export interface ToolSessionsOptions extends Omit<SessionOptions, 'signal' | 'onLost' | 'onToolsChanged'> {
  /** Told what becomes of sessions; must not throw. */
  readonly onEvent?: ((event: SessionEvent) => void) | undefined;
}

/**
 * The sessions of the I/O thread: a few for each resolved provider, shared by all who call, replaced when they die. A
 * request that lost its connection is made once more on a new session if the tool cannot have run, or says that it may
 * run twice. One that timed out never is.
 */
export class ToolSessions implements AsyncDisposable {
  readonly #options: SlotOptions;
  readonly #pools = new Map<string, SessionPool>();
  /** The pools by the very objects that providers are: what identifies one is worked out once. */
  readonly #known = new WeakMap<ToolProvider, SessionPool>();

  constructor(options: ToolSessionsOptions = {}) {
    this.#options = { ...options, onEvent: options.onEvent ?? (() => undefined) };
  }

  /** The tools a provider offers, the same as long as these sessions live; rejects with `tool/unavailable`. */
  listTools(provider: ToolProvider): Promise<readonly ToolSchema[]> {
    return this.#pool(provider).listTools();
  }

  /**
   * Calls a tool: 200 with the MCP result as JSON, 502 with the reason of a failure, 504 with that of a timeout.
   * Rejects only with `run/aborted`, when the signal is aborted.
   */
  async call(provider: ToolProvider, request: ToolRequest, options: ToolCallOptions): Promise<CallOutcome> {
    try {
      return toOutcome(await this.#pool(provider).call(request, options));
    } catch (thrown) {
      if (isFailure(thrown, 'run/aborted')) throw thrown;
      return outcome(502, DataDesignerError.fromUnknown(thrown).message);
    }
  }

  /** Ends all sessions, and with them every child process. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool[Symbol.asyncDispose]()));
  }

  #pool(provider: ToolProvider): SessionPool {
    const known = this.#known.get(provider);
    if (known !== undefined) return known;
    const key = providerKey(provider);
    const pool = this.#pools.get(key) ?? new SessionPool(provider, this.#options);
    this.#pools.set(key, pool);
    this.#known.set(provider, pool);
    return pool;
  }
}

const STATUS = { failed: 502, disconnected: 502, 'timed-out': 504 } as const;

function toOutcome(result: ToolCallResult): CallOutcome {
  if (result.kind === 'answered') return outcome(200, JSON.stringify(result.result));
  return outcome(STATUS[result.kind], result.reason);
}

function outcome(status: number, body: string): CallOutcome {
  return { status, headers: {}, body };
}
