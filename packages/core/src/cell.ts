import type { ChatMessage, ContentPart } from './message.ts';
import type { Random } from './random.ts';
import type { AnswerFields } from './trace-message.ts';
import type { CellValue, Row } from './value.ts';

/** One question to a model: a whole conversation, tools and corrections included, that ends in a parsed answer. */
export interface Question<Answer> {
  readonly modelAlias: string;
  readonly toolAlias?: string | undefined;
  /** Called once admitted, so that waiting rows hold no rendered text. */
  readonly prompt: () => string;
  readonly systemPrompt?: (() => string) | undefined;
  /** What is shown before the prompt. */
  readonly media?: (() => Promise<readonly ContentPart[]>) | undefined;
  /** A JSON Schema that the answer keeps, for endpoints that can be held to one. */
  readonly shape?: Readonly<Record<string, unknown>> | undefined;
  /** Asked anew where the first model gives no answer that can be used. */
  readonly fallbackModelAlias?: string | undefined;
  /**
   * Turns the trimmed answer into the cell's value; a `ParseFailure` lets the model correct itself. `mend`, if given,
   * takes out of the data that is found in the answer what the endpoint's form of `shape` has put there.
   */
  readonly parse: (text: string, mend?: (data: CellValue) => CellValue) => Answer | Promise<Answer>;
}

/** The answer to a question, with the final conversation it came from. */
export interface Answered<Answer> {
  readonly value: Answer;
  readonly messages: readonly ChatMessage[];
}

/** The same with the fields that traces store of the answers among the messages. */
export interface TracedConversation<Answer> extends Answered<Answer> {
  readonly answers: ReadonlyMap<ChatMessage, AnswerFields>;
}

/** Texts of which a model makes vectors. */
export interface EmbeddingQuestion {
  readonly modelAlias: string;
  readonly texts: readonly string[];
}

/** A picture that a model is to make. */
export interface ImageQuestion {
  readonly modelAlias: string;
  /** Called once admitted. */
  readonly prompt: () => string;
  readonly media?: (() => Promise<readonly ContentPart[]>) | undefined;
}

/** A picture, in Base64. */
export interface Picture {
  readonly mediaType: string;
  readonly base64: string;
}

/** Thrown by a parser when the model's answer is not what was asked for; the message goes back to the model. */
export class ParseFailure extends Error {
  override readonly name = 'ParseFailure';
}

/**
 * A function as a plan holds it: the name under which the calling program keeps it, or the module that exports it.
 * What the function's own properties say stands beside these.
 */
export interface FunctionHandle {
  readonly handle: string;
  /** The address of its module, where it is run in workers. */
  readonly module?: string;
  readonly export?: string;
}

/** What a function may use beside its arguments. */
export interface FunctionUse {
  /** Stands in its last argument, beside `signal`. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** The cells that it makes: `cells` in its last argument, the first of them also as `cell`. */
  readonly cells?: Cell | readonly Cell[];
  /** Its result is a list of rows: what is no plain data is a failure in the place of its row, and no other row's. */
  readonly perRow?: boolean;
  /** Aliases of the models that it may ask. */
  readonly models?: readonly string[];
  /** Aliases of the tools that these may call. */
  readonly tools?: readonly string[];
}

/** What a server is asked of several rows at once. */
export interface BatchQuestion {
  /** The number of the batch within the run, by which its answer is kept. */
  readonly batch: number;
  /** JSON text. */
  readonly body: string;
  /** The whole time it may take, retries included. */
  readonly timeoutMs: number;
}

/** All that the maker of one cell may use. A cell may depend on nothing else, so that a replay asks the same. */
export interface Cell {
  /** The cells that the column reads, by name. */
  readonly row: Row;
  readonly rowIndex: number;
  /** Randomness at (column, row). */
  readonly random: Random;
  readonly signal: AbortSignal;
  ask<Answer>(question: Question<Answer>): Promise<TracedConversation<Answer>>;
  /** One vector for each text, in order. */
  embed(question: EmbeddingQuestion): Promise<readonly (readonly number[])[]>;
  /** At least one picture. */
  generateImage(question: ImageQuestion): Promise<readonly Picture[]>;
  /** Keeps a picture beside the dataset and gives its path there; in a preview, where nothing is kept, its Base64 text. */
  keepPicture(picture: Picture): Promise<string>;
  /**
   * Asks the server that the column's `requires` names, and gives its answer, which holds as many rows as the question;
   * undefined where nobody is asked, as in a rehearsal. Throws `validator/*`.
   */
  validate(question: BatchQuestion): Promise<string | undefined>;
  /** A file of the dataset's folder, or of a media root, in Base64, by its path; undefined where there is none. */
  readMedia(path: string): Promise<string | undefined>;
  /** Does what `outside` of `FunctionCell` says. */
  outside<Outcome>(name: string, work: () => Outcome | Promise<Outcome>): Promise<Outcome>;
  /** Runs a function of the calling program, or of a module, with plain data; gives plain data, failures with `perRow`. */
  run(handle: FunctionHandle, args: readonly unknown[], use?: FunctionUse): Promise<unknown>;
  /** Says something about the column that is no failure; the same is told once. */
  note(message: string): void;
}
