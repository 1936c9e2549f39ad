import type { CellValue, ChatMessage, Row, ToolSchema, TraceUsage } from '@data-designer/core';

/** A message of an example; an answer has the name of its model and its token counts where the dataset has them. */
export interface TrainingMessage extends ChatMessage {
  readonly model?: string;
  readonly usage?: TraceUsage;
}

/** A conversation that ends with an answer. */
export interface ChatExample {
  readonly messages: readonly TrainingMessage[];
  /** The tools that the model was offered. */
  readonly tools: readonly ToolSchema[];
}

/** A prompt with a better and a worse continuation; each of these begins and ends with a message of the assistant. */
export interface PairExample {
  readonly prompt: readonly TrainingMessage[];
  readonly chosen: readonly TrainingMessage[];
  readonly rejected: readonly TrainingMessage[];
  readonly tools: readonly ToolSchema[];
}

/** A prompt that a model is to solve, with what its answer is compared with. */
interface TaskExample {
  readonly prompt: readonly TrainingMessage[];
  readonly tools: readonly ToolSchema[];
  /** The expected answer; null if a verifier needs none. */
  readonly answer: string | null;
  /** Further values for a verifier. */
  readonly info: Readonly<Record<string, CellValue>>;
}

/** The kinds of examples. */
export interface Examples {
  readonly chat: ChatExample;
  readonly pair: PairExample;
  readonly task: TaskExample;
}
export type ExampleKind = keyof Examples;

/** Where an example comes from. */
interface ExampleOrigin {
  /** The position of its row in the dataset. */
  readonly row: number;
  /** The values of its row. */
  readonly values: Row;
}

/** What an example may have, and a format may lack. */
export const FEATURES = {
  reasoning: 'reasoning',
  images: 'images',
  media: 'audio or video',
  tools: 'tool calls',
  parallel_calls: 'several tool calls in one message',
  text_beside_calls: 'text beside tool calls',
  unknown_tools: 'calls of a tool whose schema the dataset does not have',
  turns: 'several messages in an answer',
} as const;
export type Feature = keyof typeof FEATURES;

/** A format of training data: JSON objects, one per example. */
export interface TrainingFormat<Kind extends ExampleKind = ExampleKind> {
  readonly kind: Kind;
  /** The programs that read it. */
  readonly readers: string;
  /** What its records have no place for. */
  readonly lacks: readonly Feature[];
  /** Whether reasoning is left out unless it is asked for; else it is written, or refused where `lacks` has it. */
  readonly reasoningOnRequest?: true;
  /** Where pairs come from, if not from blocks of attempts. */
  readonly pairsOf?: 'edits';
  /** Whether a record may have fields of ours; false for readers that refuse unknown fields. */
  readonly takesFields: boolean;
  /** Names of fields that its readers give a meaning, and that no field of ours may have. */
  readonly reserved?: readonly string[];
  /** Why an example does not fit for another reason than a missing feature; undefined if it fits. */
  readonly refuse?: (example: Examples[Kind]) => string | undefined;
  readonly toRecord: (example: Examples[Kind], origin: ExampleOrigin) => Readonly<Record<string, unknown>>;
}

/** A format whose examples are checked by the compiler. */
export function defineTrainingFormat<Kind extends ExampleKind>(format: TrainingFormat<Kind>): TrainingFormat<Kind> {
  return format;
}
