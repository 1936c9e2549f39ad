import type { DataDesignerError, WireFailure } from './errors.ts';
import type { ToolSchema } from './message.ts';
import type { RowValues } from './tool-box.ts';

/** The address of a call within a run, and its key in the journal; `call` counts up from 0 within a cell. */
export interface Address {
  readonly row: number;
  readonly column: string;
  readonly call: number;
}

/** Call numbers and draws of one attempt at a block: more than any cell uses, so that no attempt shifts those of the next. */
export const ATTEMPT_CALLS = 1_048_576;

/** The most requests that an environment sends to models during one tool call. */
export const MOST_WORLD_CALLS = 8;

/** The first number of these requests within an attempt, and of what follows them; those from 1,000,000 on are for other uses. */
const FIRST_WORLD_CALL = 65_536;
const WORLD_CALLS_END = FIRST_WORLD_CALL * (1 + MOST_WORLD_CALLS);

/** The number of a request, counted from 0, that an environment sends during a tool call; undefined where there is none. */
export function worldCall(toolCall: number, request: number): number | undefined {
  const within = toolCall % ATTEMPT_CALLS;
  if (request >= MOST_WORLD_CALLS || within >= FIRST_WORLD_CALL) return undefined;
  return toolCall - within + FIRST_WORLD_CALL + MOST_WORLD_CALLS * within + request;
}

/** The number of the tool call during which an environment sent a request; undefined for other calls. */
export function toolCallOf(call: number): number | undefined {
  const within = call % ATTEMPT_CALLS;
  if (within < FIRST_WORLD_CALL || within >= WORLD_CALLS_END) return undefined;
  return call - within + Math.floor((within - FIRST_WORLD_CALL) / MOST_WORLD_CALLS);
}

/** The number itself, or the next one that no request of an environment has. */
export function besideWorldCalls(call: number): number {
  return toolCallOf(call) === undefined ? call : call - (call % ATTEMPT_CALLS) + WORLD_CALLS_END;
}

/** A path of a model's protocol, or one of the gateway's own. The gateway refuses others; only it knows URLs and keys. */
export type CallPath = string;

/**
 * The resource for files that answers link to, fetched from public addresses only. The body of a call is the JSON
 * `{"url", "maxBytes"}`, that of its outcome the file in Base64.
 */
export const WEB = 'web';

/** The resource for work that functions do themselves: the gateway journals the outcomes. */
export const FUNCTIONS = 'functions';

/** The resource of the server that a column calls. */
export function serverOf(column: string): string {
  return `server/${column}`;
}

/** The resource of an execution provider. */
export function programsOf(provider: string): string {
  return `programs/${provider}`;
}

/** The resource of a tool provider. */
export function toolsOf(provider: string): string {
  return `tools/${provider}`;
}

/** The time limits of a call, and the size limit of its answer. */
export interface CallLimits {
  /** The time limit of one attempt. */
  readonly timeoutMs: number;
  /** The time limit of all attempts and the waits between them; `timeoutMs` if absent. */
  readonly deadlineMs?: number | undefined;
  /** The size limit of an answer, decompressed; the gateway's own if absent. */
  readonly maxAnswerBytes?: number | undefined;
}

/** The limits of a call, without its other fields. */
export function limitsOf({ timeoutMs, deadlineMs, maxAnswerBytes }: CallLimits): CallLimits {
  return { timeoutMs, deadlineMs, maxAnswerBytes };
}

/** A request at an address; `body` is JSON text. */
export interface UntimedCall extends Address {
  readonly resource: string;
  readonly path: CallPath;
  readonly body: string;
}

/** What a call to a model is made for. Reports of calls show it; requests, hashes and journals do not hold it. */
export interface CallOrigin {
  /** The model alias. */
  readonly alias: string;
  /** The purpose of the request in its conversation, such as `first` or `correction`. */
  readonly purpose: string;
}

/** Where the pictures of a request come from. */
export type PictureSource = 'tool' | 'prompt' | 'both';

/** A request with its limits. */
export interface Call extends UntimedCall, CallLimits {
  /** Absent for tools and servers. */
  readonly origin?: CallOrigin | undefined;
  /** Where the pictures of a question to a model come from; absent without pictures. */
  readonly pictures?: PictureSource | undefined;
  /** The values that the cell reads; only functions as tools are told of them. */
  readonly values?: RowValues | undefined;
}

/** The outcome of a call. Tools return 200 with a result, or 502 or 504 with the reason as text. */
export interface CallOutcome {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The requests behind it, unless it was one. */
  readonly tries?: Tries;
  readonly verdict?: Verdict;
  /** For a refusal by an endpoint that has not answered yet: a text naming the key and model that were sent. */
  readonly sent?: string;
}

/**
 * What the gateway knows about an outcome beyond its status. `unusable`: a success whose body is not an answer.
 * `no-choice`: a success with an error, or without a choice. Neither is journaled. `about-this`: a refusal of this request
 * only. `about-all`: a refusal that every other request would get too.
 */
export type Verdict = 'unusable' | 'no-choice' | 'about-this' | 'about-all';

/** Paid tokens: all input, the part of it that the provider had cached, and all output. */
export interface PaidTokens {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

/** The requests behind one outcome. */
export interface Tries {
  readonly requests: number;
  /** The number refused with "too many requests". */
  readonly refused: number;
  /**
   * The number that the endpoint may charge for although there was no answer: timed out here or there (408), an answer
   * over the size limit, or a success without a usable choice and without token counts.
   */
  readonly possiblyPaid: number;
  /** Tokens of successes without a usable answer, and of answers to control requests; absent if none reported any. */
  readonly spent?: PaidTokens;
  /** For a call that failed: whether the endpoint answered other requests between its last two attempts. */
  readonly othersAnswered?: true;
  /** For a call that failed: until when its endpoint asked not to be called, as an ISO date with time. */
  readonly askedUntil?: string;
}

/** Whether a request failed although its endpoint answered others meanwhile, so that the failure concerns this one. */
export function hasFailedAlone({ data }: DataDesignerError): boolean {
  const { tries }: { readonly tries?: Tries } = Object(data);
  return tries?.othersAnswered === true;
}

/**
 * The resource of open rows: a row is admitted before its first cell, and `cancel` releases its permit. It limits the open
 * rows of all groups and threads to the number that keeps the other resources busy.
 */
export const OPEN_ROWS = 'rows';

/** The resource of rows with servers of their own: such a row is admitted before its first server starts. */
export const ROWS_WITH_SERVERS = 'rows-with-servers';

/** The maximum number of open rows beyond the permits for requests. */
const MOST_SPARE_ROWS = 512;

/** The limit of open rows for a number of permits: enough that no permit waits for a row, few enough for memory. */
export function openRowsFor(permits: number): number {
  return permits + Math.min(permits, MOST_SPARE_ROWS);
}

/** The entry of row groups to models, tools and servers, in the I/O thread. Failures are `DataDesignerError`s. */
export interface Gateway {
  /**
   * Resolves when the resource has a permit for the request at this address: the oldest row first, the last rows together.
   * Build the request after that.
   */
  admit(resource: string, at: Address): Promise<void>;
  /**
   * Sends a request; the outcome is journaled before it is returned. A request without a permit waits for one here: for
   * small bodies that is cheaper than a separate `admit`.
   */
  call(call: Call): Promise<CallOutcome>;
  /** The tools of a provider, listed once per run. */
  listTools(provider: string): Promise<readonly ToolSchema[]>;
  /**
   * Ends a row, by its number: releases its permit and cancels its waits and calls, or has the calls that are sent already
   * finish. With an address: releases the permit of a call that the cell does not make; without effect if it did call.
   */
  cancel(what: number | Address, how?: { readonly finishCalls: boolean }): void;
}

/** A journaled cell that killed its worker or exceeded its time limit: a replay fails it again without running it. */
export interface FailedCell {
  readonly row: number;
  readonly column: string;
  /** The attempt that failed, from 0; absent outside of attempts, and where it is not known. */
  readonly attempt?: number;
  readonly failure: WireFailure;
}

/** A gateway that also journals the outcomes of work that worker threads do themselves. */
export interface OutcomeJournal {
  /** Journals a cell that must not run again; it is on disk when this resolves. */
  failCell(cell: FailedCell): Promise<void>;
  /** The journaled outcome of this call; without one, the outcome of `work`, journaled first. */
  journal(call: UntimedCall, work: () => Promise<CallOutcome>): Promise<CallOutcome>;
}

/** A file as a state shows it: its text; size and hash of one that is no short text; where a link leads. */
export type ShownFile = string | { readonly bytes: number; readonly sha256?: string } | { readonly link: string };

/** What a row wants of a server of its own. */
export type ServerWork =
  | {
      readonly do: 'start';
      /** The tool resource whose provider is started, with the first call. */
      readonly resource: string;
      /** The texts of the files that its folder begins with, by relative path. */
      readonly files: Readonly<Record<string, string>>;
    }
  /** Calls a tool: gives a `CallOutcome` that is not journaled, of status 502 or 504 where the server gave no answer. */
  | { readonly do: 'call'; readonly body: string; readonly timeoutMs: number }
  /** Gives the files of its folder as `ShownFile`s, by path. */
  | { readonly do: 'files' }
  /** Ends the server, and removes its folder. The end of its row does that too. */
  | { readonly do: 'stop' };

/** A gateway that also runs the servers of rows. */
export interface RowServers {
  /** `server`: a number that the row group gives it. */
  serve(server: number, row: number, work: ServerWork): Promise<unknown>;
}

/** Retryable statuses below 500: timed out, in conflict, too early, too many requests. */
const RETRYABLE: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Whether a request refused with this status may succeed on a retry. */
export function isRetryableStatus(status: number): boolean {
  return RETRYABLE.has(status) || (status >= 500 && status < 600);
}

/** The longest time limit, in seconds: a timer of Node takes at most 24 days. */
export const LONGEST_SECONDS = 2_147_483;
