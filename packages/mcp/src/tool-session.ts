import { DataDesignerError, messageOf, type Redact, type ToolSchema } from '@data-designer/core';

/** A JSON object, such as the arguments of a tool call. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The row that makes a call. */
export interface ToolRow {
  /** Its number, from 0. */
  readonly index: number;
  /** The values of the columns that the calling cell reads. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** The limits of one call. */
export interface ToolCallOptions {
  /** The time for the call; where it has a `longestMs`, the time between two reports of its progress. */
  readonly timeoutMs: number;
  /** The time for the whole call, if reports of its progress extend `timeoutMs`. */
  readonly longestMs?: number | undefined;
  /** Whether the server declares that the call may run twice. */
  readonly mayRunTwice?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The row that makes the call; functions are told of it. */
  readonly row?: ToolRow | undefined;
}

/** The end of a call on a session: the server's MCP result, or why there is none. */
export type ToolCallResult =
  | { readonly kind: 'answered'; readonly result: object }
  | {
      readonly kind: 'failed' | 'timed-out' | 'disconnected';
      readonly reason: string;
      /** The end of the reason: what the server sent since then that answers no request. Empty if it sent nothing like that. */
      readonly hint?: string;
      /** The request certainly did not reach the tool. */
      readonly isUnsent?: boolean;
      /** Whether a session that has gone would explain the failure. */
      readonly isSessionDoubt?: boolean;
      /** Whether the server does not know the method, or does not allow it, as for a tool that it runs only as a task. */
      readonly isUnknownMethod?: boolean;
      /** Whether the server ran nothing because headers of the request do not repeat its body. */
      readonly isHeaderMismatch?: boolean;
      /** The wait in milliseconds that a server over its rate limit asks for, null if it names none. */
      readonly rateLimit?: number | null;
      /** What was thrown, where the server answered the request itself with an error. */
      readonly cause?: Error;
    };

/** Follows the reason of a lost connection in the error that the model gets. */
export const UNKNOWN_OUTCOME = '; the outcome is unknown: the tool may have run';

/** The tools of a server. */
export interface ListedTools {
  readonly schemas: readonly ToolSchema[];
  /** The tools that may run twice for one call: they declare `readOnlyHint` or `idempotentHint`. */
  readonly repeatable: ReadonlySet<string>;
}

/** One open connection to a tool server. Disposing it ends the server's process, if it has one. */
export interface ToolSession extends AsyncDisposable {
  /** Why the connection is gone; undefined while it is open as far as this side knows. */
  readonly lost: string | undefined;
  /** All pages of the server's tools; rejects with `tool/unavailable`. */
  listTools(): Promise<ListedTools>;
  /** Calls a tool; rejects only with `run/aborted`, when the signal is aborted. */
  callTool(name: string, args: JsonObject, options: ToolCallOptions): Promise<ToolCallResult>;
}

/** How sessions open and close. */
export interface SessionOptions {
  /** The time for connecting and for listing the tools; 30 s unless given. A provider's own time wins. */
  readonly handshakeTimeoutMs?: number | undefined;
  /** How long a child process may take to end by itself, and again after SIGTERM; 2 s unless given. */
  readonly graceMs?: number | undefined;
  /** How long to try to reach a server again that has worked before; 30 s unless given. */
  readonly reconnectMs?: number | undefined;
  /** How long a silent server may take to answer a ping before it counts as gone; 5 s unless given. */
  readonly pingTimeoutMs?: number | undefined;
  /** Makes the requests of remote providers; the global `fetch` unless given. */
  readonly fetch?: typeof fetch | undefined;
  /** Redacts a server's error texts before they are cut; knows the provider's own secrets unless given. */
  readonly redact?: Redact | undefined;
  /** Gives up connecting when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Called once when the connection breaks without having been closed by this side; must not throw. */
  readonly onLost?: ((reason: string) => void) | undefined;
  /** Called when the server reports that its tools changed; must not throw. */
  readonly onToolsChanged?: (() => void) | undefined;
}

/** The options of a link. */
export type LinkOptions = SessionOptions & {
  readonly redact: Redact;
  /** When opening the link is given up, a time of `performance.now()`. */
  readonly startBy: number;
};

/** The events of the sessions of a run. */
export type SessionEvent =
  /** A session with a tool provider is open; `again` if it replaces a lost one. */
  | { readonly type: 'tool-session-start'; readonly provider: string; readonly again: boolean }
  /** A session was lost; the next call opens another. */
  | { readonly type: 'tool-session-fail'; readonly provider: string; readonly reason: string }
  /** A provider's tools differ from those first listed, or from those of its file; models still get the first. */
  | {
      readonly type: 'tools-change';
      readonly provider: string;
      readonly file?: ToolsFileOrigin;
      /** What is gone, new and changed; absent where only the change is known. */
      readonly differences?: readonly string[];
    };

/** A file that tells of the tools of a provider. */
export interface ToolsFileOrigin {
  readonly provider: string;
  readonly path: string;
  /** When the tools were listed; null if the file does not say so. */
  readonly listedAt: string | null;
}

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

/** Whether an error, or its cause, is a lost connection. */
export function isLoss(thrown: unknown): thrown is Error {
  const fault = thrown instanceof DataDesignerError ? thrown.cause : thrown;
  return fault instanceof SessionFault && fault.kind === 'disconnected';
}

/** The failure to throw for an aborted signal. */
export function abortFailure(signal: AbortSignal | undefined): DataDesignerError {
  const reason: unknown = signal?.reason;
  if (reason instanceof DataDesignerError) return reason;
  return new DataDesignerError('run/aborted', { reason: messageOf(reason) });
}

/** The longest a timer can run. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Waits for a promise for a limited time; then rejects with a `timed-out` fault. */
export function inTime<T>(promise: Promise<T>, timeoutMs: number, reason: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new SessionFault('timed-out', reason));
    const timer = setTimeout(late, Math.min(timeoutMs, LONGEST_TIMER_MS));
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
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
