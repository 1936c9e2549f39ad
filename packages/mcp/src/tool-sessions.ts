import { type CallOutcome, isFailure, type ToolSchema } from '@data-designer/core';
import { messageForModel } from './opening-advice.ts';
import { providerKey, type ToolProvider } from './provider.ts';
import type { ProviderSessions } from './provider-sessions.ts';
import type { SessionPlaces } from './session-places.ts';
import type { SlotOptions } from './session-slot.ts';
import { failedCallOutcome } from './tool-outcome.ts';
import type { ToolRequest } from './tool-request.ts';
import type { SessionEvent, SessionOptions, ToolCallOptions, ToolCallResult } from './tool-session.ts';

/** The options of all sessions. */
export interface ToolSessionsOptions extends Omit<SessionOptions, 'signal' | 'onLost' | 'onToolsChanged'> {
  /** Gets the events of sessions; must not throw. */
  readonly onEvent?: ((event: SessionEvent) => void) | undefined;
  /** Child processes at a time; no bound if absent. */
  readonly mostProcesses?: number | undefined;
}

/**
 * The tool sessions of the I/O thread: a few for each resolved provider, shared by all workers, replaced when they die or when
 * the server no longer knows them. A call that lost its session is repeated on a new one if the tool cannot have run or declares
 * that it may run twice. A call that timed out is never repeated.
 */
export class ToolSessions implements AsyncDisposable {
  readonly #options: SlotOptions;
  readonly #mostProcesses: number | undefined;
  #places: Promise<SessionPlaces> | undefined;
  readonly #byKey = new Map<string, Promise<ProviderSessions>>();
  /** The same by provider object, so that the key of a provider is computed once. */
  readonly #byProvider = new WeakMap<ToolProvider, Promise<ProviderSessions>>();

  constructor(options: ToolSessionsOptions = {}) {
    const { mostProcesses, onEvent = () => undefined, ...others } = options;
    this.#options = { ...others, onEvent };
    this.#mostProcesses = mostProcesses;
  }

  /** The tools a provider offers, the same as long as these sessions live; rejects with `tool/unavailable`. */
  async listTools(provider: ToolProvider): Promise<readonly ToolSchema[]> {
    return (await this.#sessionsOf(provider)).listTools();
  }

  /** Ends the child processes of a provider that no call uses; the next call starts one. */
  async rest(provider: ToolProvider): Promise<void> {
    await (await this.#sessionsOf(provider)).rest();
  }

  /**
   * Calls a tool: 200 with the MCP result as JSON, 502 with the reason of a failure, 504 with that of a timeout.
   * Rejects only with `run/aborted`, when the signal is aborted.
   */
  async call(provider: ToolProvider, request: ToolRequest, options: ToolCallOptions): Promise<CallOutcome> {
    try {
      return toOutcome(await (await this.#sessionsOf(provider)).call(request, options));
    } catch (thrown) {
      if (isFailure(thrown, 'run/aborted')) throw thrown;
      return failedCallOutcome('connection', messageForModel(thrown));
    }
  }

  /** Ends all sessions, and with them every child process. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = [...this.#byKey.values()].map(async (sessions) => (await sessions)[Symbol.asyncDispose]());
    // Those that wait for a place learn that their provider is closed.
    (await this.#places)?.close();
    await Promise.all(ended);
  }

  #sessionsOf(provider: ToolProvider): Promise<ProviderSessions> {
    const known = this.#byProvider.get(provider);
    if (known !== undefined) return known;
    const key = providerKey(provider);
    const sessions = this.#byKey.get(key) ?? this.#open(provider);
    this.#byKey.set(key, sessions);
    this.#byProvider.set(provider, sessions);
    return sessions;
  }

  /** Loads what sessions need: a run without tools must not wait for it. */
  async #open(provider: ToolProvider): Promise<ProviderSessions> {
    this.#places ??= this.#openPlaces();
    const [{ ProviderSessions: Sessions }, places] = await Promise.all([
      import('./provider-sessions.ts'),
      this.#places,
    ]);
    return new Sessions(provider, { ...this.#options, places });
  }

  async #openPlaces(): Promise<SessionPlaces> {
    const { SessionPlaces: Places } = await import('./session-places.ts');
    return new Places(this.#mostProcesses ?? Infinity);
  }
}

const FAILURES = { failed: 'server', disconnected: 'connection', 'timed-out': 'timeout' } as const;

/** The outcome of a call for the gateway. */
export function toOutcome(result: ToolCallResult): CallOutcome {
  if (result.kind !== 'answered') return failedCallOutcome(FAILURES[result.kind], result.reason);
  return { status: 200, headers: {}, body: JSON.stringify(result.result) };
}
