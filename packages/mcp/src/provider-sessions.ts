import { setTimeout as sleep } from 'node:timers/promises';
import { isFailure, type ToolSchema } from '@data-designer/core';
import { messageForModel } from './opening-advice.ts';
import type { ToolProvider } from './provider.ts';
import { isDoubtful, KnownRefusals, reasonOfDoubt } from './session-doubt.ts';
import { SessionSlot, type SlotOptions } from './session-slot.ts';
import type { ToolRequest } from './tool-request.ts';
import {
  isLoss,
  type ListedTools,
  LONGEST_TIMER_MS,
  SessionFault,
  type ToolCallOptions,
  type ToolCallResult,
  type ToolSession,
  UNKNOWN_OUTCOME,
  unlessAborted,
} from './tool-session.ts';

/** New sessions for one call, each of which ended after it had answered others. */
const MOST_SESSIONS_OF_A_CALL = 10;

/** The session itself limits the time of a listing. */
const NO_LIMIT: ToolCallOptions = { timeoutMs: Infinity };

/** The waits between listings while a server notifies of changes. */
const FIRST_LISTING_WAIT_MS = 100;
const LONGEST_LISTING_WAIT_MS = 60_000;

/** The sessions of one provider: a call goes to the session with the fewest calls; the tools are listed once. */
export class ProviderSessions implements AsyncDisposable {
  readonly #provider: ToolProvider;
  readonly #options: SlotOptions;
  readonly #slots: SessionSlot[] = [];
  readonly #most: number;
  /** Refusals that a new session met too. */
  readonly #refusals = new KnownRefusals();
  #listing: Promise<ListedTools> | undefined;
  #repeatable: ReadonlySet<string> | undefined;
  /** The comparison of the server's tools that a `list_changed` notification starts. */
  #comparison: Promise<void> | undefined;
  #hasChangedAgain = false;
  readonly #end = new AbortController();
  /** The tools that the server offered at the last comparison, as JSON. */
  #latest: string | undefined;

  constructor(provider: ToolProvider, options: SlotOptions) {
    this.#provider = provider;
    this.#most = provider.maxSessions ?? 1;
    // Only processes take memory of this machine.
    const places = provider.providerType === 'stdio' ? options.places : undefined;
    this.#options = { ...options, places, onToolsChanged: () => this.#toolsChanged() };
  }

  /** The tools, as they were first listed; rejects with `tool/unavailable`, and the next call lists them again. */
  async listTools(): Promise<readonly ToolSchema[]> {
    return (await this.#listed()).schemas;
  }

  #listed(): Promise<ListedTools> {
    this.#listing ??= this.#list().then(
      (listed) => {
        this.#repeatable = listed.repeatable;
        return listed;
      },
      (thrown: unknown) => {
        this.#listing = undefined;
        throw thrown;
      },
    );
    return this.#listing;
  }

  /**
   * Calls a tool, and repeats the call if the tool cannot have run or may run twice: once after a lost connection, and on a new
   * session where one that has gone would explain the failure. The time limit covers all of that.
   */
  async call(request: ToolRequest, options: ToolCallOptions): Promise<ToolCallResult> {
    const slot = this.#slot();
    return slot.inPlace(() => this.#callIn(slot, request, options), options.signal);
  }

  /** Ends the sessions that no call uses; the next call opens another. */
  async rest(): Promise<void> {
    const { places } = this.#options;
    if (places) await Promise.all(this.#slots.map((slot) => places.rest(slot)));
  }

  async #callIn(slot: SessionSlot, request: ToolRequest, options: ToolCallOptions): Promise<ToolCallResult> {
    const start = performance.now();
    const call = { slot, request, limits: this.#limitsOf(request.name, options) };
    let tried = await callOn(call);
    if (tried.result.kind === 'disconnected' && (await this.#mayRepeat(tried.result, call))) tried = await callOn(call);
    const result = await this.#despiteDoubt(call, tried);
    if (result.kind === 'disconnected') return { ...result, reason: `${result.reason}${outcomeOf(result)}` };
    if (result.kind !== 'timed-out') return result;
    const { timeoutMs, longestMs } = options;
    const limitMs = longestMs !== undefined && performance.now() - start >= longestMs ? longestMs : timeoutMs;
    // The time that was left for the last try means nothing to a reader.
    return { kind: 'timed-out', reason: `no answer within ${Math.round(limitMs)} ms${result.reason}` };
  }

  /** The limits of each try of a call: the time that is left of its own. */
  #limitsOf(tool: string, { timeoutMs, longestMs, signal }: ToolCallOptions): () => ToolCallOptions {
    const start = performance.now();
    const left = (ms: number): number => Math.max(1, ms - (performance.now() - start));
    const mayRunTwice = this.#repeatable?.has(tool);
    return () => ({
      timeoutMs: left(timeoutMs),
      longestMs: longestMs === undefined ? undefined : left(longestMs),
      signal,
      mayRunTwice,
    });
  }

  /**
   * The result of a call whose session may have gone: that of the same call on other sessions. A session that never answered a
   * call proves that the refusal is not about sessions.
   */
  async #despiteDoubt(call: SlotCall, first: Tried): Promise<ToolCallResult> {
    let tried = first;
    for (let round = 0; round < MOST_SESSIONS_OF_A_CALL; round++) {
      const { result, session } = tried;
      if (this.#provider.providerType === 'stdio' || session === undefined || !isDoubtful(result)) return result;
      const refusal = { tool: call.request.name, reason: reasonOfDoubt(result) };
      if (this.#refusals.has(refusal)) return result;
      if (round > 0 && !(await call.slot.hasAnswered(session))) {
        this.#refusals.add(refusal);
        return result;
      }
      if (!(await this.#mayRepeat(result, call))) return result;
      tried = await callOn(call, { session, reason: refusal.reason });
      if (tried.session === undefined && tried.result.kind === 'failed') {
        this.#refusals.add(refusal);
        return withFollowing(result, tried.result.reason);
      }
    }
    return tried.result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#slots.map((slot) => slot[Symbol.asyncDispose]()));
    await this.#comparison;
  }

  /** Whether a failed call cannot have run, or may run twice as the server declares; lists the tools if this run has not yet. */
  async #mayRepeat(result: ToolCallResult, { request, limits }: SlotCall): Promise<boolean> {
    if (result.kind !== 'answered' && result.isUnsent === true) return true;
    const { timeoutMs, signal } = limits();
    const said = this.#listed().then(
      ({ repeatable }) => repeatable.has(request.name),
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
    return slot.inPlace(() =>
      list().catch((thrown: unknown) => {
        if (!isLost) throw thrown;
        return list();
      }),
    );
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
    // A server may notify at each listing.
    let waitMs = FIRST_LISTING_WAIT_MS;
    while (this.#hasChangedAgain) {
      this.#hasChangedAgain = false;
      const now = await this.#list().then(
        ({ schemas }) => JSON.stringify(schemas),
        () => this.#latest,
      );
      if (now !== this.#latest) this.#options.onEvent({ type: 'tools-change', provider: this.#provider.name });
      this.#latest = now;
      const { signal } = this.#end;
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
      waitMs = Math.min(waitMs * 2, LONGEST_LISTING_WAIT_MS);
      if (signal.aborted) return;
    }
  }
}

/** Follows the reason of a lost connection in the error that the model gets. */
function outcomeOf({ isUnsent }: { readonly isUnsent?: boolean }): string {
  return isUnsent ? '; the tool did not run' : UNKNOWN_OUTCOME;
}

/** A call, the slot that it goes to, and the limits of its next try. */
interface SlotCall {
  readonly slot: SessionSlot;
  readonly request: ToolRequest;
  readonly limits: () => ToolCallOptions;
}

/** The end of one try, and the session that it used; undefined if none could be opened. */
interface Tried {
  readonly result: ToolCallResult;
  readonly session: ToolSession | undefined;
}

/** A session that may have gone, and why. */
interface Doubt {
  readonly session: ToolSession;
  readonly reason: string;
}

/**
 * One try, on another session than the doubted one. Retires a session whose connection was lost, and a doubted one if the other
 * answers. The reason of a timeout follows "no answer within N ms".
 */
async function callOn({ slot, request, limits }: SlotCall, doubt?: Doubt): Promise<Tried> {
  const options = limits();
  let used: ToolSession | undefined;
  const work = async (session: ToolSession, timeoutMs: number): Promise<ToolCallResult> => {
    used = session;
    const result = await session.callTool(request.name, request.arguments, { ...options, timeoutMs });
    if (result.kind === 'disconnected') slot.retire(session, result.reason);
    else if (result.kind === 'timed-out' || isDoubtful(result)) return result;
    else {
      if (doubt) slot.replace(doubt.session, { by: session, reason: doubt.reason });
      slot.noteAnswer(session);
    }
    return result;
  };
  try {
    const result = await (doubt ? slot.useOther(doubt.session, work, options) : slot.use(work, options));
    return {
      result: result.kind === 'timed-out' ? { kind: 'timed-out', reason: result.hint ?? '' } : result,
      session: used,
    };
  } catch (thrown) {
    if (thrown instanceof SessionFault) {
      return { result: { kind: thrown.kind, reason: `: ${thrown.message}` }, session: used };
    }
    if (doubt === undefined || isFailure(thrown, 'run/aborted')) throw thrown;
    return { result: { kind: 'failed', reason: messageForModel(thrown) }, session: undefined };
  }
}

/** A failure, and why its session could not be replaced. */
function withFollowing(result: ToolCallResult, reason: string): ToolCallResult {
  if (result.kind === 'answered') return result;
  return { kind: result.kind, reason: `${result.reason}; no new session could be opened: ${reason}` };
}
