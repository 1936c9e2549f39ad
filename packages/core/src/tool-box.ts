import type { ChatMessage, ToolSchema } from './message.ts';
import type { Random } from './random.ts';

/** Whose calls these are: a cell, counting what it asks of the gateway in program order. */
export interface CallContext {
  readonly row: number;
  readonly column: string;
  readonly signal: AbortSignal;
  /** The next call number; it never goes back, not on a restart of the conversation either. */
  readonly nextCall: () => number;
  /** Randomness at (column, row, call number): the same call draws the same on a replay. */
  readonly randomOf: (call: number) => Random;
}

/**
 * The tools of one tool alias, as a conversation uses them. A completion response is the model's message; processing it
 * never throws for what a tool or model did wrong.
 */
export interface ToolBox {
  readonly toolAlias: string;
  readonly maxToolCallTurns: number;
  /** What the model is told, the same all through a run. */
  readonly getToolSchemas: () => Promise<readonly ToolSchema[]>;
  /** Whether the model asks for tools. */
  readonly hasToolCalls: (response: ChatMessage) => boolean;
  /** How many calls it asks for: one response is one turn, however many. */
  readonly toolCallCount: (response: ChatMessage) => number;
  /** Runs the calls of a response side by side: the response, and a tool message for each call in the model's order. */
  readonly processCompletionResponse: (response: ChatMessage, site: CallContext) => Promise<readonly ChatMessage[]>;
  /** Tells the model that its turns are used up: the response, and a tool message for each call. */
  readonly refuseCompletionResponse: (response: ChatMessage) => readonly ChatMessage[];
}
