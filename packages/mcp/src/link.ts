import type { InFlight } from './in-flight.ts';
import type { JsonObject, SessionFault } from './tool-session.ts';

/** A message of either side, as far as its parts are there. */
export interface RpcMessage {
  readonly id: unknown;
  readonly method: unknown;
  readonly result: unknown;
  readonly error: unknown;
}

/** What a session hears of its link. */
export interface LinkListener {
  /** A message that came after the handshake; whether it was for the session. */
  readonly onMessage: (message: Partial<RpcMessage>) => boolean;
  /** Nothing more will come. */
  readonly onClose: () => void;
  /** What carries the answers broke, and a new one would not know of the calls under way. */
  readonly onBreak: (reason: string) => void;
}

/** A connection to a tool server, whatever carries it, and what only its kind knows. */
export interface Link {
  /** Opens the connection and shakes hands. */
  readonly connect: () => Promise<void>;
  /** Sends a message; what is fetched because of it is known to belong to the call. */
  readonly send: (message: JsonObject, call?: InFlight) => Promise<void>;
  /** Closes it, and ends the server's process if it has one. */
  readonly close: () => Promise<void>;
  /** Takes leave of the server, if its kind of connection has a way to. */
  readonly leave: () => Promise<void>;
  /** How the server's process ended; undefined while it runs, and for a server that is not ours to run. */
  readonly lastWords: () => string | undefined;
  /** What the server wrote to stderr, as a part of a sentence; empty if nothing. */
  readonly stderr: () => string;
  /** Why it could not be opened, where that is known better than from what `connect` throws. */
  readonly fault: () => SessionFault | undefined;
}
