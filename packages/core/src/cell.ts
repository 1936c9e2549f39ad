import type { NoteFlaw } from './answer-flaws.ts';
import type { DataDesignerError } from './errors.ts';
import type { ChatMessage, ContentPart, HistoryMessage, ToolSchema } from './message.ts';
import type { Random } from './random.ts';
import type { AnswerFields } from './trace-message.ts';
import type { CellValue, Row } from './value.ts';

/** One question to a model: a whole conversation, tools and corrections included, that ends in a parsed answer. */
export interface Question<Answer> {
  /** The alias of the model. */
  readonly modelAlias: string;
  /** The alias of the tools that the model may call; none by default. */
  readonly toolAlias?: string | undefined;
  /** The names of those tools that this question offers; all by default. */
  readonly allowTools?: readonly string[] | undefined;
  /** Called once admitted, so that waiting rows hold no rendered text. With a history, an empty prompt adds no message. */
  readonly prompt: () => string;
  /** Returns the messages before the prompt; none by default. */
  readonly history?: (() => readonly HistoryMessage[]) | undefined;
  /** Returns the system message, which replaces that of the history; none by default. */
  readonly systemPrompt?: (() => string) | undefined;
  /** Media in front of the prompt. */
  readonly media?: (() => Promise<readonly ContentPart[]>) | undefined;
  /** The JSON Schema of the answer, for endpoints that enforce one. */
  readonly shape?: Readonly<Record<string, unknown>> | undefined;
  /** The model to ask if the first one returns no usable answer. */
  readonly fallbackModelAlias?: string | undefined;
  /**
   * Parses the trimmed answer into the cell's value; a `ParseFailure` asks the model for a correction. `mend` removes from
   * the parsed data what the endpoint's form of `shape` added. `note` counts a flaw if the answer is accepted.
   */
  readonly parse: (text: string, mend?: (data: CellValue) => CellValue, note?: NoteFlaw) => Answer | Promise<Answer>;
}

/** The answer to a question, with the final conversation it came from. */
export interface AnsweredQuestion<Answer> {
  /** The parsed answer. */
  readonly value: Answer;
  /** The messages of the conversation without its history, the answer included. */
  readonly messages: readonly ChatMessage[];
}

/** The same with the fields that traces store of the answers among the messages. */
export interface TracedConversation<Answer> extends AnsweredQuestion<Answer> {
  /** The stored fields of the answers, by message. */
  readonly answers: ReadonlyMap<ChatMessage, AnswerFields>;
  /** The invalid answers among the messages, and the corrections behind them. */
  readonly corrections: ReadonlySet<ChatMessage>;
  /** The number of messages of the history. */
  readonly historyLength: number;
  /** The alias of the model that answered. */
  readonly modelAlias: string;
}

/** Texts to embed. */
export interface EmbeddingQuestion {
  /** The alias of the model. */
  readonly modelAlias: string;
  /** The texts to embed. */
  readonly texts: readonly string[];
}

/** A request for an image. */
export interface ImageQuestion {
  /** The alias of the model. */
  readonly modelAlias: string;
  /** Called once admitted. */
  readonly prompt: () => string;
  /** Returns the media in front of the prompt; none by default. */
  readonly media?: (() => Promise<readonly ContentPart[]>) | undefined;
}

/** An image, in Base64. */
export interface Picture {
  /** The media type, such as `image/png`. */
  readonly mediaType: string;
  /** The bytes as Base64 text. */
  readonly base64: string;
}

/** Thrown by a parser for an invalid answer; the message goes back to the model. */
export class ParseFailure extends Error {
  /** The name of the class. */
  override readonly name = 'ParseFailure';
}

/**
 * A function in a plan: its name in the calling program, or the module that exports it. The function's own properties are
 * members too.
 */
export interface FunctionHandle {
  /** The name of the function within the plan. */
  readonly handle: string;
  /** The address of its module; workers run such a function. */
  readonly module?: string;
  /** The name of the exported function. */
  readonly export?: string;
}

/** The context of a function call. */
export interface FunctionUse {
  /** Further members of the last argument, next to `signal`. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** The cells that it generates: `cells` in its last argument; `cell` is the first one. */
  readonly cells?: Cell | readonly Cell[];
  /** Its result is a list of rows; a row that is not plain data fails alone. */
  readonly perRow?: boolean;
  /** Aliases of the models that it may call. */
  readonly models?: readonly string[];
  /** Aliases of the tools that those models may call. */
  readonly tools?: readonly string[];
}

/** A validation request for several rows. */
export interface BatchQuestion {
  /** The number of the batch within the run; the journal stores its answer under it. */
  readonly batch: number;
  /** JSON text. */
  readonly body: string;
  /** The time limit, retries included. */
  readonly timeoutMs: number;
}

/** Everything that one cell may depend on. A cell depends on nothing else, so that a resumed run sends the same requests. */
export interface Cell {
  /** The cells that the column reads, by name. */
  readonly row: Row;
  /** The row, counted from 0. */
  readonly rowIndex: number;
  /** Randomness at (column, row). */
  readonly random: Random;
  /** Aborted when the cell is no longer needed. */
  readonly signal: AbortSignal;
  /** Asks a model and returns the accepted answer with its conversation; rejects with the failure of the cell. */
  ask<Answer>(question: Question<Answer>): Promise<TracedConversation<Answer>>;
  /** The tools of an alias in the column's `requires`, as models are told of them; asks no model. */
  toolSchemas(toolAlias: string): Promise<readonly ToolSchema[]>;
  /** Calls a tool of an alias in the column's `requires`; returns the tool message, also for a call that fails. */
  callTool(toolAlias: string, call: { readonly name: string; readonly arguments: string }): Promise<ChatMessage>;
  /** One vector for each text, in order. */
  embed(question: EmbeddingQuestion): Promise<readonly (readonly number[])[]>;
  /** Returns at least one image. */
  generateImage(question: ImageQuestion): Promise<readonly Picture[]>;
  /** Writes an image to the dataset folder and returns its path there; in a preview it returns the Base64 text. */
  keepPicture(picture: Picture): Promise<string>;
  /**
   * Sends rows to the server in the column's `requires` and returns its answer, with one result per row; undefined if no
   * request is sent, as in a rehearsal. Throws `validator/*`.
   */
  validate(question: BatchQuestion): Promise<string | undefined>;
  /** Has the execution provider in the column's `requires` run programs; `body` and the result are JSON text. */
  runPrograms(provider: string, request: { readonly body: string; readonly timeoutMs: number }): Promise<string>;
  /** Reads a file of the dataset folder or a media root as Base64; undefined if it does not exist. */
  readMedia(path: string): Promise<string | undefined>;
  /** See `recordOutcome` of `FunctionCell`. */
  recordOutcome<Outcome>(name: string, work: () => Outcome | Promise<Outcome>): Promise<Outcome>;
  /** Calls a function of the program or a module; arguments and result are plain data, with failures if `perRow`. */
  run(handle: FunctionHandle, args: readonly unknown[], use?: FunctionUse): Promise<unknown>;
  /** Logs a message about the column once; not a failure. */
  note(message: string): void;
}

/**
 * A failed cell with a fallback value: unless the column sets `on_failure`, the row continues with that value and the run
 * reports the failure.
 */
export class Shortfall extends Error {
  override readonly name = 'Shortfall';
  readonly failure: DataDesignerError;
  /** Values of the written columns, in the order of `writes`. */
  readonly written: readonly CellValue[];

  constructor(failure: DataDesignerError, written: readonly CellValue[]) {
    super(failure.message, { cause: failure });
    this.failure = failure;
    this.written = written;
  }
}
