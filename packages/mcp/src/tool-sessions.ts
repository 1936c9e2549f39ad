import { type CallOutcome, DataDesignerError, isFailure, type ToolSchema } from '@data-designer/core';
import { providerKey, type ToolProvider } from './provider.ts';
import { SessionSlot } from './session-slot.ts';
import type { ToolRequest } from './tool-request.ts';
import { SessionFault, unlessAborted } from './tool-session.ts';
import type { SessionOptions, ToolCallOptions, ToolCallResult } from './tool-session.ts';

/**
 * The sessions of the I/O thread: one per resolved provider, shared by all who call, replaced when it dies. A request
 * that lost its connection is made once more on a new session; one that timed out never is, for the tool may have run.
 */
export class ToolSessions implements AsyncDisposable {
  readonly #options: SessionOptions;
  readonly #slots = new Map<string, SessionSlot>();

  constructor(options: SessionOptions = {}) {
    this.#options = options;
  }

  /** The tools a provider offers, the same as long as these sessions live; rejects with `tool/unavailable`. */
  listTools(provider: ToolProvider): Promise<readonly ToolSchema[]> {
    const slot = this.#slot(provider);
    return slot.listed(() => listTwice(slot));
  }

  /**
   * Calls a tool: 200 with the MCP result as JSON, 502 with the reason of a failure, 504 with that of a timeout.
   * Rejects only with `run/aborted`, when the signal is aborted.
   */
  async call(provider: ToolProvider, request: ToolRequest, options: ToolCallOptions): Promise<CallOutcome> {
    const slot = this.#slot(provider);
    try {
      return toOutcome(await unlessAborted(callTwice(slot, request, options), options.signal));
    } catch (thrown) {
      if (isFailure(thrown, 'run/aborted')) throw thrown;
      return outcome(502, DataDesignerError.fromUnknown(thrown).message);
    }
  }

  /** Ends all sessions, and with them every child process. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#slots.values()].map((slot) => slot[Symbol.asyncDispose]()));
  }

  #slot(provider: ToolProvider): SessionSlot {
    const key = providerKey(provider);
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const slot = new SessionSlot(provider, this.#options);
    this.#slots.set(key, slot);
    return slot;
  }
}

/** A call, and once more if its connection was lost; the time limit is for both together. */
async function callTwice(slot: SessionSlot, request: ToolRequest, options: ToolCallOptions): Promise<ToolCallResult> {
  let leftMs = options.timeoutMs;
  const attempt = (): Promise<ToolCallResult> =>
    slot.use(async (session) => {
      const start = performance.now();
      const limits = { ...options, timeoutMs: Math.max(1, leftMs) };
      const result = await session.callTool(request.name, request.arguments, limits);
      leftMs -= performance.now() - start;
      if (result.kind === 'disconnected') await slot.retire(session);
      else if (result.kind !== 'timed-out') slot.praise();
      return result;
    });
  const first = await attempt();
  return first.kind === 'disconnected' ? attempt() : first;
}

/** A listing, and once more if its connection was lost; an opening that failed is not tried again. */
async function listTwice(slot: SessionSlot): Promise<readonly ToolSchema[]> {
  let lost = false;
  const attempt = (): Promise<readonly ToolSchema[]> =>
    slot.use(async (session) => {
      try {
        return await session.listTools();
      } catch (thrown) {
        lost = thrown instanceof Error && isLoss(thrown.cause);
        if (lost) await slot.retire(session);
        throw thrown;
      }
    });
  try {
    return await attempt();
  } catch (thrown) {
    if (!lost) throw thrown;
    return attempt();
  }
}

function isLoss(cause: unknown): boolean {
  return cause instanceof SessionFault && cause.kind === 'disconnected';
}

const STATUS = { failed: 502, disconnected: 502, 'timed-out': 504 } as const;

function toOutcome(result: ToolCallResult): CallOutcome {
  if (result.kind === 'answered') return outcome(200, JSON.stringify(result.result));
  return outcome(STATUS[result.kind], result.reason);
}

function outcome(status: number, body: string): CallOutcome {
  return { status, headers: {}, body };
}
