import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolSchema } from '@data-designer/core';
import type { ToolProvider } from './provider.ts';
import { LONGEST_TIMER_MS, SessionSlot, type SlotOptions } from './session-slot.ts';
import type { ToolRequest } from './tool-request.ts';
import {
  isLoss,
  type ListedTools,
  SessionFault,
  type ToolCallOptions,
  type ToolCallResult,
  type ToolSession,
  UNKNOWN_OUTCOME,
  unlessAborted,
} from './tool-session.ts';

/** A listing is bounded by the session itself. */
const NO_LIMIT: ToolCallOptions = { timeoutMs: Infinity };

/** The sessions of one provider: calls go to the one with the fewest, and the tools are listed once for all. */
export class SessionPool implements AsyncDisposable {
  readonly #provider: ToolProvider;
  readonly #options: SlotOptions;
  readonly #slots: SessionSlot[] = [];
  readonly #most: number;
  #listing: Promise<ListedTools> | undefined;
  /** What is looked at because the server said that its tools are others now. */
  #look: Promise<void> | undefined;
  #lookAgain = false;
  /** What it offered when it was last looked at, as JSON. */
  #latest: string | undefined;

  constructor(provider: ToolProvider, options: SlotOptions) {
    this.#provider = provider;
    this.#most = provider.maxSessions ?? 1;
    this.#options = { ...options, onToolsChanged: () => this.#toolsChanged() };
  }

  /** The tools, as they were first listed; rejects with `tool/unavailable`, and is then made again. */
  async listTools(): Promise<readonly ToolSchema[]> {
    return (await this.#listed()).schemas;
  }

  #listed(): Promise<ListedTools> {
    this.#listing ??= this.#list().catch((thrown: unknown) => {
      this.#listing = undefined;
      throw thrown;
    });
    return this.#listing;
  }

  /**
   * A call. Where its connection was lost it is made once more, if the tool cannot have run or bears to run twice; the
   * time limit is for all of it.
   */
  async call(request: ToolRequest, { timeoutMs, signal }: ToolCallOptions): Promise<ToolCallResult> {
    const deadline = performance.now() + timeoutMs;
    const slot = this.#slot();
    const left = (): ToolCallOptions => ({ timeoutMs: Math.max(1, deadline - performance.now()), signal });
    let result = await callOn(slot, request, left());
    if (result.kind === 'disconnected' && (result.isUnsent || (await this.#isRepeatable(request.name, left())))) {
      result = await callOn(slot, request, left());
    }
    if (result.kind === 'disconnected') return { ...result, reason: `${result.reason}${outcomeOf(result)}` };
    if (result.kind !== 'timed-out') return result;
    // What was left of the time for the last try says nothing to anybody.
    return { kind: 'timed-out', reason: `no answer within ${Math.round(timeoutMs)} ms${result.reason}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot[Symbol.asyncDispose]()));
    await this.#look;
  }

  /** Whether the server says that a tool may run twice; a server that was not listed in this run is asked now. */
  #isRepeatable(tool: string, { timeoutMs, signal }: ToolCallOptions): Promise<boolean> {
    const said = this.#listed().then(
      ({ repeatable }) => repeatable.has(tool),
      () => false,
    );
    const late = sleep(Math.min(timeoutMs, LONGEST_TIMER_MS), false, { ref: false });
    return unlessAborted(Promise.race([said, late]), signal);
  }

  /** An idle session, else a further one while there may be, else the one with the fewest calls. */
  #slot(): SessionSlot {
    let least: SessionSlot | undefined;
    for (const slot of this.#slots) if (!least || slot.users < least.users) least = slot;
    if (least && (least.users === 0 || this.#slots.length >= this.#most)) return least;
    const further = new SessionSlot(this.#provider, this.#options);
    this.#slots.push(further);
    return further;
  }

  /** A listing, and once more if its connection was lost; an opening that failed is not tried again. */
  async #list(): Promise<ListedTools> {
    const slot = this.#slot();
    let isLost = false;
    const list = (): Promise<ListedTools> =>
      slot.use(async (session) => {
        try {
          return await session.listTools();
        } catch (thrown) {
          isLost = isLoss(thrown);
          if (isLost) slot.retire(session, (thrown as Error).message);
          throw thrown;
        }
      }, NO_LIMIT);
    try {
      return await list();
    } catch (thrown) {
      if (!isLost) throw thrown;
      return list();
    }
  }

  #toolsChanged(): void {
    this.#lookAgain = true;
    this.#look ??= this.#lookAtTools().finally(() => (this.#look = undefined));
  }

  /** What the server offers now is compared with what was listed; a server that fails here will fail its next call too. */
  async #lookAtTools(): Promise<void> {
    const known = await this.#listing?.catch(() => undefined);
    if (known === undefined) return;
    this.#latest ??= JSON.stringify(known.schemas);
    while (this.#lookAgain) {
      this.#lookAgain = false;
      const now = await this.#list().then(
        ({ schemas }) => JSON.stringify(schemas),
        () => this.#latest,
      );
      if (now !== this.#latest) this.#options.onEvent({ type: 'tools-change', provider: this.#provider.name });
      this.#latest = now;
    }
  }
}

/** What a model is told beside the reason why a call was cut off. */
function outcomeOf({ isUnsent }: { readonly isUnsent?: boolean }): string {
  return isUnsent ? '; the tool did not run' : UNKNOWN_OUTCOME;
}

/**
 * One try. A session that was lost under it is not used any more. What is said of a timeout is what comes after "no
 * answer within so many ms".
 */
async function callOn(slot: SessionSlot, request: ToolRequest, limits: ToolCallOptions): Promise<ToolCallResult> {
  let used: ToolSession | undefined;
  const work = (session: ToolSession, timeoutMs: number): Promise<ToolCallResult> => {
    used = session;
    return session.callTool(request.name, request.arguments, { timeoutMs, signal: limits.signal });
  };
  try {
    const result = await slot.use(work, limits);
    if (result.kind === 'timed-out') return { kind: 'timed-out', reason: '' };
    if (result.kind === 'disconnected') slot.retire(used as ToolSession, result.reason);
    else slot.praise();
    return result;
  } catch (thrown) {
    if (thrown instanceof SessionFault) return { kind: thrown.kind, reason: `: ${thrown.message}` };
    throw thrown;
  }
}
