import {
  type CallOutcome,
  type CellValue,
  type Fields,
  type FunctionHandle,
  type Random,
  type ShownFile,
  TOOL_PREFIX,
} from '@data-designer/core';
import { z } from 'zod';

/** A tool of an environment. */
export interface EnvironmentTool {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its arguments, of type object. */
  readonly parameters: Fields;
}

/** What every environment declares. */
export interface EnvironmentConfig {
  /** The name by which tool configs refer to it. */
  readonly name: string;
  readonly kind: string;
  readonly toolPrefix?: string | undefined;
}

/** Its name, in the schema of every kind. */
export const environmentName = z
  .string()
  .regex(/^[A-Za-z_]\w*$/)
  .describe('The name that tool configs list among their providers.');

/** The prefix of the names of its tools, in the schema of every kind. */
export const toolPrefix = z
  .string()
  .regex(TOOL_PREFIX, { error: 'expected 1 to 32 letters, digits, _ or -' })
  .exactOptional()
  .describe('Prefix of the tool names that models see. Set it if two providers have a tool of the same name.');

/** A part of an environment that depends on the row: a template, and the field that has it. */
export interface RowTemplate {
  readonly source: string;
  readonly field: readonly (string | number)[];
  /** Whether its value is text, or keeps the type of its only expression. */
  readonly as: 'text' | 'value';
}

/** A model that the worlds of an environment ask, and the field that names it. */
interface WorldModel {
  readonly alias: string;
  readonly field: readonly (string | number)[];
}

/** A mistake in an environment that shows before a run. */
export interface EnvironmentMistake {
  readonly field: readonly (string | number)[];
  readonly message: string;
  readonly remedy: string;
}

/** A mistake of a field. */
export function mistake(field: EnvironmentMistake['field'], message: string, remedy: string): EnvironmentMistake {
  return { field, message, remedy };
}

/** What a kind opens the environment of a row with. */
export interface OpenOptions {
  /** The row, from 0. */
  readonly rowIndex: number;
  /** The values of its templates and of the columns that it reads, by the printed field or the column's name. */
  readonly values: Readonly<Record<string, CellValue>>;
  /** Randomness of the environment at this row. */
  readonly random: Random;
  /** Calls a function of a declaration where functions run. */
  readonly callFunction: (handle: FunctionHandle, args: readonly unknown[], given: Fields) => Promise<unknown>;
  /** Gives the world a server of its own, which starts with its first work. */
  readonly startServer: (files: Readonly<Record<string, string>>) => WorldServer;
}

/** A server that belongs to a world, with a folder of its own. */
export interface WorldServer {
  /** Calls a tool; an outcome of another status than 200 has no result. Rejects where the server cannot start. */
  readonly call: (tool: string, args: Fields, timeoutMs: number) => Promise<CallOutcome>;
  /** The files of its folder, by path. */
  readonly files: () => Promise<Readonly<Record<string, ShownFile>>>;
  /** Ends it; never rejects. */
  readonly stop: () => Promise<void>;
}

/** A question of an environment to a model. */
export interface WorldQuestion {
  readonly modelAlias: string;
  readonly systemPrompt: string;
  readonly prompt: string;
  /** The JSON Schema of the answer. */
  readonly schema: Fields;
}

/** One tool call. */
export interface EnvironmentCall {
  /** The environment's name of the tool. */
  readonly name: string;
  readonly arguments: Fields;
  /** Randomness of the call. */
  readonly random: Random;
  /** Aborted at the time limit of the call: what it gives then counts for nothing. */
  readonly signal: AbortSignal;
  /** The time limit of the call in ms. */
  readonly timeoutMs: number;
  /**
   * Asks a model of the environment for JSON of a schema; the time that it takes is not that of the call. Rejects with
   * `model/gave-up` where no answer fits, and with failures that an environment must pass on.
   */
  readonly ask: (question: WorldQuestion) => Promise<CellValue>;
}

/** What a tool call gave: the text for the model. */
export interface CallResult {
  readonly text: string;
  /** Whether the call failed and changed nothing. */
  readonly failed: boolean;
  /** What a server gave, in place of text and failure. */
  readonly outcome?: CallOutcome;
}

/** The status of a call that gave no answer in time. */
const NO_ANSWER = 504;

/** The outcome of a call that gave no answer in time. */
export function unanswered(reason: string): CallOutcome {
  return { status: NO_ANSWER, headers: {}, body: reason };
}

/** Whether a call gave no answer in time: another run may get one. */
export function isUnanswered({ status }: Pick<CallOutcome, 'status'>): boolean {
  return status === NO_ANSWER;
}

/** How a world that is costly to run continues from calls that are recorded: it makes them again when it needs them. */
export interface RecordedCalls {
  /** Takes a call and its outcome as made. */
  readonly add: (call: Pick<EnvironmentCall, 'name' | 'arguments'>, outcome: CallOutcome) => void;
  /** What the state follows from, as text: a recorded state counts where it is the same. */
  readonly key: () => string;
}

/**
 * The world of one row. A call that fails changes nothing. Calls, marks and snapshots come one after the other.
 */
export interface OpenEnvironment {
  /** The tools of this row. */
  readonly tools: readonly EnvironmentTool[];
  /** Runs a tool. Mistakes of a tool or a model are results; rejects only where the world cannot go on. */
  readonly call: (call: EnvironmentCall) => Promise<CallResult>;
  /** Remembers the state, so that `undo` returns to it. Marks are nested. */
  readonly mark: () => void;
  /** Returns to the state of the last mark, which stays. */
  readonly undo: () => void;
  /** Forgets the last mark. */
  readonly release: () => void;
  /** A world with the same state that goes its own way. Without marks only. */
  readonly fork: () => OpenEnvironment;
  /** The state as plain data. */
  readonly snapshot: () => Promise<CellValue>;
  /** A world without it makes every call again on a resume. */
  readonly recorded?: RecordedCalls;
  /** Ends the world; a promise is resolved when nothing of it is left, and never rejects. */
  readonly close: () => void | Promise<void>;
}

/** A kind of environment: how it is declared, and how the world of a row is opened. */
export interface EnvironmentKind<
  Config extends EnvironmentConfig = EnvironmentConfig,
  Schema extends z.ZodType = z.ZodObject,
> {
  /** Its name, as declarations have it. */
  readonly kind: string;
  readonly schema: Schema;
  /** The templates whose values open the world of a row. */
  readonly templates: (config: Config) => readonly RowTemplate[];
  /** The columns that it reads beside those in its templates. */
  readonly reads: (config: Config) => readonly string[];
  /** The tool provider whose server each row gets for itself, and whose tools are those of the world; most kinds have none. */
  readonly provider?: (config: Config) => string;
  /** The rows that may have a world at a time; no bound unless given. */
  readonly mostRows?: (config: Config) => number;
  /** The tools if they are the same in every row; undefined if rows bring them, or a provider lists them. */
  readonly tools: (config: Config) => readonly EnvironmentTool[] | undefined;
  /** The aliases of the models that its worlds ask; none if absent. */
  readonly models?: (config: Config) => readonly WorldModel[];
  /** The mistakes that show without a row; opens what is the same in every row. */
  readonly check: (config: Config) => Promise<readonly EnvironmentMistake[]>;
  /** Why queries over its states cannot run in any row: for each the reason, or undefined; no query is tried if absent. */
  readonly checkQueries?: (config: Config, queries: readonly string[]) => Promise<readonly (string | undefined)[]>;
  /** Opens the world of a row; throws an `Error` with the reason where that is not possible. */
  readonly open: (config: Config, options: OpenOptions) => Promise<OpenEnvironment>;
}

/** The key of a template's value in `OpenOptions`. */
export function fieldKey(field: RowTemplate['field']): string {
  return field.join('.');
}
