import { DataDesignerError, type Redact, type ToolSchema } from '@data-designer/core';

/** A JSON object; what a tool is called with. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The limits of one call: when it ends by itself, and what ends it early. */
export interface ToolCallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** How a call on a session went: the MCP result as the server gave it, or why there is none. */
export type ToolCallResult =
  | { readonly kind: 'answered'; readonly result: JsonObject }
  | {
      readonly kind: 'failed' | 'timed-out' | 'disconnected';
      readonly reason: string;
      /** The request certainly did not reach the tool. */
      readonly isUnsent?: boolean;
    };

/** What a model is told beside the reason why its call was cut off. */
export const UNKNOWN_OUTCOME = '; the outcome is unknown: the tool may have run';

/** What a server offers. */
export interface ListedTools {
  readonly schemas: readonly ToolSchema[];
  /** The tools that may run twice for one call: by their annotations they change nothing, or nothing more. */
  readonly repeatable: ReadonlySet<string>;
}

/** One open connection to a tool server. Disposing it ends the server's process, if it has one. */
export interface ToolSession extends AsyncDisposable {
  /** Why the connection is gone; undefined while it stands, as far as is known. */
  readonly lost: string | undefined;
  /** All pages of the server's tools; rejects with `tool/unavailable`. */
  listTools(): Promise<ListedTools>;
  /** Calls a tool; rejects only with `run/aborted`, when the signal is aborted. */
  callTool(name: string, args: JsonObject, options: ToolCallOptions): Promise<ToolCallResult>;
}

/** How sessions are opened and closed. */
export interface SessionOptions {
  /** The time for connecting and for listing the tools; 30 s unless given. */
  readonly handshakeTimeoutMs?: number | undefined;
  /** How long a child process may take to end by itself, and again after SIGTERM; 2 s unless given. */
  readonly graceMs?: number | undefined;
  /** How long a silent server may take to answer a ping before it counts as gone; 5 s unless given. */
  readonly pingTimeoutMs?: number | undefined;
  /** Makes the requests of remote providers; the global `fetch` unless given. */
  readonly fetch?: typeof fetch | undefined;
  /** Redacts what a server says of failures, before any of it is cut off; knows the provider's own secrets unless given. */
  readonly redact?: Redact | undefined;
  /** Gives up connecting when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Told once when the connection breaks without having been closed from here; must not throw. */
  readonly onLost?: ((reason: string) => void) | undefined;
  /** Told when the server says that it offers other tools; must not throw. */
  readonly onToolsChanged?: (() => void) | undefined;
}

/** What a session gives its link. */
export type LinkOptions = SessionOptions & { readonly redact: Redact };

/** What becomes of the sessions of a run. */
export type SessionEvent =
  /** A session with a tool provider is open; `again` where it replaces one that was lost. */
  | { readonly type: 'tool-session-start'; readonly provider: string; readonly again: boolean }
  /** A session was lost; the next call opens another. */
  | { readonly type: 'tool-session-fail'; readonly provider: string; readonly reason: string }
  /** A tool provider offers other tools than when they were listed; models are still told of those. */
  | { readonly type: 'tools-change'; readonly provider: string };

/** Why a request on a session got no answer; it never leaves this package. */
export class SessionFault extends Error {
  override readonly name = 'SessionFault';
  readonly kind: 'disconnected' | 'timed-out';
  /** Whether the request certainly did not reach the server. */
  readonly isUnsent: boolean;

  constructor(
    kind: 'disconnected' | 'timed-out',
    reason: string,
    { isUnsent = false, ...options }: ErrorOptions & { readonly isUnsent?: boolean } = {},
  ) {
    super(reason, options);
    this.kind = kind;
    this.isUnsent = isUnsent;
  }
}

/** Whether an error, or what caused it, is a connection that was lost. */
export function isLoss(thrown: unknown): boolean {
  const fault = thrown instanceof DataDesignerError ? thrown.cause : thrown;
  return fault instanceof SessionFault && fault.kind === 'disconnected';
}

/** The failure to throw for an aborted signal. */
export function abortFailure(signal: AbortSignal): DataDesignerError {
  const reason: unknown = signal.reason;
  if (reason instanceof DataDesignerError) return reason;
  return new DataDesignerError('run/aborted', { reason: reason instanceof Error ? reason.message : String(reason) });
}

/** Waits for a promise, but no longer than until the signal is aborted. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(abortFailure(signal));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const settled = (): void => signal.removeEventListener('abort', abort);
    promise.then(resolve, reject).finally(settled);
  });
}
