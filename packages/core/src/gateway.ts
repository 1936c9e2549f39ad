import type { WireFailure } from './errors.ts';
import type { ToolSchema } from './message.ts';

/** Where in a run something is asked of the outside: the journal's key. `call` counts up from 0 within a cell. */
export interface Address {
  readonly row: number;
  readonly column: string;
  readonly call: number;
}

/**
 * What may be asked of a resource: a path of the protocol of its model, or one of the gateway's own. The gateway refuses
 * others, and alone knows addresses, headers and keys.
 */
export type CallPath = string;

/**
 * The resource of files that answers point to, fetched from public addresses only: the body of a call is
 * `{"url", "maxBytes"}` as JSON, that of its outcome the file in Base64.
 */
export const WEB = 'web';

/** The resource of what functions of the calling program do themselves: the gateway keeps the outcomes. */
export const FUNCTIONS = 'functions';

/** The resource of the server that a column asks. */
export function serverOf(column: string): string {
  return `server/${column}`;
}

/** How long a call may take, and how much it may bring back. */
export interface CallLimits {
  /** The time of one attempt. */
  readonly timeoutMs: number;
  /** The time of all attempts and of the waits between them; `timeoutMs` where absent. */
  readonly deadlineMs?: number | undefined;
  /** The longest answer that is taken, unpacked; the gateway's own bound where absent. */
  readonly maxAnswerBytes?: number | undefined;
}

/** The limits of a call alone. */
export function limitsOf({ timeoutMs, deadlineMs, maxAnswerBytes }: CallLimits): CallLimits {
  return { timeoutMs, deadlineMs, maxAnswerBytes };
}

/** What is asked at an address; `body` is JSON text. */
export interface UntimedCall extends Address {
  readonly resource: string;
  readonly path: CallPath;
  readonly body: string;
}

/** One request to the outside. */
export interface Call extends UntimedCall, CallLimits {}

/** What came back. Tools answer 200 with a result, or 502, 504 with the reason in words. */
export interface CallOutcome {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What it took where that was not one request. */
  readonly tries?: Tries;
  readonly verdict?: Verdict;
  /** Of a refusal by an endpoint that has served nobody: which key and model name it was sent, in words. */
  readonly sent?: string;
}

/**
 * What the gateway knows of an outcome beyond its status. `unusable`: a success whose body is no answer. `no-choice`: a
 * success that carries an error, or no choice, in place of an answer. Neither is journaled. `about-this`: a refusal by a
 * model that answers others. `about-all`: one that every other request would meet.
 */
export type Verdict = 'unusable' | 'no-choice' | 'about-this' | 'about-all';

/** Tokens that were paid for: all that was read, what of it the provider had from earlier requests, all that was written. */
export interface PaidTokens {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

/** The requests behind one outcome. */
export interface Tries {
  readonly requests: number;
  /** Of these, refused with "too many requests". */
  readonly refused: number;
  /**
   * Of these, those that the endpoint may charge for though they gave no answer: given up before one came, here or by the
   * endpoint (408), longer than is taken, or a success without a usable choice that tells no tokens.
   */
  readonly possiblyPaid: number;
  /** Tokens of successes without a usable answer; absent where none told any. */
  readonly spent?: PaidTokens;
}

/**
 * The resource of open rows: a row is admitted before its first cell, and `cancel` releases its permit, so that no more
 * rows are open, over all groups and threads, than keep the other resources busy.
 */
export const OPEN_ROWS = 'rows';

/** The most open rows beyond the permits for requests. */
const MOST_SPARE_ROWS = 512;

/** How many rows may be open with so many permits: enough that a permit never waits for a row, few enough for memory. */
export function openRowsFor(permits: number): number {
  return permits + Math.min(permits, MOST_SPARE_ROWS);
}

/** The one way to the outside, used by row groups, held by the I/O thread. Failures are `DataDesignerError`s. */
export interface Gateway {
  /** Resolves when the resource may take the request at this address: the oldest row first, the last rows together. Build it after that. */
  admit(resource: string, at: Address): Promise<void>;
  /**
   * Sends a request; the outcome stands in the journal before it is returned. One that was not admitted is once its turn
   * has come: for small bodies that are there already, to wait here costs less than a way to and fro.
   */
  call(call: Call): Promise<CallOutcome>;
  /** The tools a provider offers, listed once a run. */
  listTools(provider: string): Promise<readonly ToolSchema[]>;
  /**
   * A row is over, by its number: takes back its place, and whatever it still waits for or has under way. Or a cell makes
   * no call at an address after all: takes back what it was admitted to there; nothing where it did call.
   */
  cancel(what: number | Address): void;
}

/**
 * A cell that must not be made again, as making it killed its worker or ran out of time: a replay fails it with the same
 * failure. It stands in the journal beside the answers.
 */
export interface FailedCell {
  readonly row: number;
  readonly column: string;
  readonly failure: WireFailure;
}

/** A gateway that also keeps the outcomes of what is done where a cell is made. */
export interface OutcomeKeeper {
  /** Records a cell that must not be made again; it is on disk when this resolves. */
  failCell(cell: FailedCell): Promise<void>;
  /** The outcome that the journal has of this call; else what `work` gives, once that stands in the journal. */
  keep(call: UntimedCall, work: () => Promise<CallOutcome>): Promise<CallOutcome>;
}
