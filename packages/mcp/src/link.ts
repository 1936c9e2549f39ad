import type { InFlight } from './in-flight.ts';
import type { JsonObject } from './tool-session.ts';

/** A JSON-RPC message; a member may be missing. */
export interface RpcMessage {
  readonly jsonrpc: unknown;
  readonly id: unknown;
  readonly method: unknown;
  readonly result: unknown;
  readonly error: unknown;
  readonly params: unknown;
}

/** The listener of a link. */
export interface LinkListener {
  /** A message of the server, and the call whose request it answers if the transport knows that. */
  readonly onMessage: (message: Partial<RpcMessage>, call?: InFlight) => void;
  /** Text of the server that is no message, such as a line of a log. */
  readonly onStray: (text: string) => void;
  /** The connection is closed: no further message comes. */
  readonly onClose: () => void;
  /** The stream of answers broke, and a new one would not know of the calls in flight. */
  readonly onBreak: (reason: string) => void;
}

/** A connection to a tool server over any transport. */
export interface Link {
  /** Opens the connection. */
  readonly connect: () => Promise<void>;
  /** Notes the protocol version of all further requests. */
  readonly useVersion: (version: string) => void;
  /** Sends a message; the HTTP requests that it causes belong to the call. */
  readonly send: (message: JsonObject, call?: InFlight) => Promise<void>;
  /** Closes the connection, and ends the server's process if it has one. */
  readonly close: () => Promise<void>;
  /** Tells the server that the session ends, if the transport has a message for that. */
  readonly leave: () => Promise<void>;
  /** How the server's process ended; undefined while it runs and for a remote server. */
  readonly lastWords: () => string | undefined;
  /** The stderr of the server as a part of a sentence; empty if there is none. */
  readonly stderr: () => string;
  /** Why the connection could not be opened, if the transport knows more than the error of `connect`. */
  readonly fault: () => Error | undefined;
}
