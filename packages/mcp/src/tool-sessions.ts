import { setTimeout as sleep } from 'node:timers/promises';
import { type CallOutcome, DataDesignerError, isFailure, type ToolSchema } from '@data-designer/core';
import { providerKey, type ToolProvider } from './provider.ts';
import { SessionSlot, type SlotOptions } from './session-slot.ts';
import { failedCallOutcome } from './tool-outcome.ts';
import type { ToolRequest } from './tool-request.ts';
import {
  isLoss,
  type ListedTools,
  LONGEST_TIMER_MS,
  type SessionEvent,
  SessionFault,
  type SessionOptions,
  type ToolCallOptions,
  type ToolCallResult,
  type ToolSession,
  UNKNOWN_OUTCOME,
  unlessAborted,
} from './tool-session.ts';

/** The session itself limits the time of a listing. */
const NO_LIMIT: ToolCallOptions = { timeoutMs: Infinity };

/** The options of all sessions. */
export interface ToolSessionsOptions extends Omit<SessionOptions, 'signal' | 'onLost' | 'onToolsChanged'> {
  /** Gets the events of sessions; must not throw. */
  readonly onEvent?: ((event: SessionEvent) => void) | undefined;
}

/**
 * The tool sessions of the I/O thread: a few for each resolved provider, shared by all workers, replaced when they die. A
 * call that lost its connection is repeated on a new session if the tool cannot have run or declares that it may run twice.
 * A call that timed out is never repeated.
 */
export class ToolSessions implements AsyncDisposable {
  readonly #options: SlotOptions;
  readonly #byKey = new Map<string, ProviderSessions>();
  /** The same by provider object, so that the key of a provider is computed once. */
  readonly #byProvider = new WeakMap<ToolProvider, ProviderSessions>();

  constructor(options: ToolSessionsOptions = {}) {
    this.#options = { ...options, onEvent: options.onEvent ?? (() => undefined) };
  }

  /** The tools a provider offers, the same as long as these sessions live; rejects with `tool/unavailable`. */
  listTools(provider: ToolProvider): Promise<readonly ToolSchema[]> {
    return this.#sessionsOf(provider).listTools();
  }

  /**
   * Calls a tool: 200 with the MCP result as JSON, 502 with the reason of a failure, 504 with that of a timeout.
   * Rejects only with `run/aborted`, when the signal is aborted.
   */
  async call(provider: ToolProvider, request: ToolRequest, options: ToolCallOptions): Promise<CallOutcome> {
    try {
      return toOutcome(await this.#sessionsOf(provider).call(request, options));
    } catch (thrown) {
      if (isFailure(thrown, 'run/aborted')) throw thrown;
      return failedCallOutcome('connection', DataDesignerError.fromUnknown(thrown).message);
    }
  }

  /** Ends all sessions, and with them every child process. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#byKey.values()].map((sessions) => sessions[Symbol.asyncDispose]()));
  }

  #sessionsOf(provider: ToolProvider): ProviderSessions {
    const known = this.#byProvider.get(provider);
    if (known !== undefined) return known;
    const key = providerKey(provider);
    const sessions = this.#byKey.get(key) ?? new ProviderSessions(provider, this.#options);
    this.#byKey.set(key, sessions);
    this.#byProvider.set(provider, sessions);
    return sessions;
  }
}

const FAILURES = { failed: 'server', disconnected: 'connection', 'timed-out': 'timeout' } as const;

function toOutcome(result: ToolCallResult): CallOutcome {
  if (result.kind !== 'answered') return failedCallOutcome(FAILURES[result.kind], result.reason);
  return { status: 200, headers: {}, body: JSON.stringify(result.result) };
}

/** The sessions of one provider: a call goes to the session with the fewest calls; the tools are listed once. */
class ProviderSessions implements AsyncDisposable {
  readonly #provider: ToolProvider;
  readonly #options: SlotOptions;
  readonly #slots: SessionSlot[] = [];
  readonly #most: number;
  #listing: Promise<ListedTools> | undefined;
  /** The comparison of the server's tools that a `list_changed` notification starts. */
  #comparison: Promise<void> | undefined;
  #hasChangedAgain = false;
  /** The tools that the server offered at the last comparison, as JSON. */
  #latest: string | undefined;

  constructor(provider: ToolProvider, options: SlotOptions) {
    this.#provider = provider;
    this.#most = provider.maxSessions ?? 1;
    this.#options = { ...options, onToolsChanged: () => this.#toolsChanged() };
  }

  /** The tools, as they were first listed; rejects with `tool/unavailable`, and the next call lists them again. */
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
   * Calls a tool, and repeats the call once after a lost connection if the tool cannot have run or may run twice. The time
   * limit covers both.
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
    // The time that was left for the last try means nothing to a reader.
    return { kind: 'timed-out', reason: `no answer within ${Math.round(timeoutMs)} ms${result.reason}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot[Symbol.asyncDispose]()));
    await this.#comparison;
  }

  /** Whether the server declares that a tool may run twice; lists the tools if this run has not yet. */
  #isRepeatable(tool: string, { timeoutMs, signal }: ToolCallOptions): Promise<boolean> {
    const said = this.#listed().then(
      ({ repeatable }) => repeatable.has(tool),
      () => false,
    );
    const late = sleep(Math.min(timeoutMs, LONGEST_TIMER_MS), false, { ref: false });
    return unlessAborted(Promise.race([said, late]), signal);
  }

  /** An idle session, else a new one within the provider's limit, else the session with the fewest calls. */
  #slot(): SessionSlot {
    let least: SessionSlot | undefined;
    for (const slot of this.#slots) if (!least || slot.users < least.users) least = slot;
    if (least && (least.users === 0 || this.#slots.length >= this.#most)) return least;
    const further = new SessionSlot(this.#provider, this.#options);
    this.#slots.push(further);
    return further;
  }

  /** Lists the tools, and repeats that once after a lost connection, but not after a failed opening. */
  async #list(): Promise<ListedTools> {
    const slot = this.#slot();
    let isLost = false;
    const list = (): Promise<ListedTools> =>
      slot.use(async (session) => {
        try {
          return await session.listTools();
        } catch (thrown) {
          if (isLoss(thrown)) {
            isLost = true;
            slot.retire(session, thrown.message);
          }
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
    this.#hasChangedAgain = true;
    this.#comparison ??= this.#compareTools().finally(() => (this.#comparison = undefined));
  }

  /** Compares the server's tools with those first listed. A failure here is ignored: the next call meets it too. */
  async #compareTools(): Promise<void> {
    const known = await this.#listing?.catch(() => undefined);
    if (known === undefined) return;
    this.#latest ??= JSON.stringify(known.schemas);
    while (this.#hasChangedAgain) {
      this.#hasChangedAgain = false;
      const now = await this.#list().then(
        ({ schemas }) => JSON.stringify(schemas),
        () => this.#latest,
      );
      if (now !== this.#latest) this.#options.onEvent({ type: 'tools-change', provider: this.#provider.name });
      this.#latest = now;
    }
  }
}

/** Follows the reason of a lost connection in the error that the model gets. */
function outcomeOf({ isUnsent }: { readonly isUnsent?: boolean }): string {
  return isUnsent ? '; the tool did not run' : UNKNOWN_OUTCOME;
}

/** One try. Retires a session whose connection was lost. The reason of a timeout follows "no answer within N ms". */
async function callOn(slot: SessionSlot, request: ToolRequest, limits: ToolCallOptions): Promise<ToolCallResult> {
  const work = async (session: ToolSession, timeoutMs: number): Promise<ToolCallResult> => {
    const result = await session.callTool(request.name, request.arguments, { timeoutMs, signal: limits.signal });
    if (result.kind === 'disconnected') slot.retire(session, result.reason);
    else if (result.kind !== 'timed-out') slot.noteSuccess();
    return result;
  };
  try {
    const result = await slot.use(work, limits);
    return result.kind === 'timed-out' ? { kind: 'timed-out', reason: '' } : result;
  } catch (thrown) {
    if (thrown instanceof SessionFault) return { kind: thrown.kind, reason: `: ${thrown.message}` };
    throw thrown;
  }
}
