import type { ChatMessage, ToolSchema } from './message.ts';
import type { Random } from './random.ts';
import type { CellValue } from './value.ts';

/** What a tool config means where it says nothing. */
export const TOOL_DEFAULTS = {
  /** Seconds that one call may take (as in NeMo Data Designer). */
  timeoutSec: 60,
  /** Seconds that one call may take if reports of its progress extend its time. */
  maxTotalTimeoutSec: 3_600,
  maxToolCallTurns: 5,
  /**
   * Characters of a result that a model is shown: about 100,000 tokens, most of the context of common models. A longer
   * result would end the conversation.
   */
  maxResultChars: 400_000,
  /** Servers that run as child processes at a time, and servers that are listed at a time. */
  servers: 16,
} as const;

/** The cell that makes calls; it numbers them in program order. */
export interface CallContext {
  readonly row: number;
  readonly column: string;
  readonly signal: AbortSignal;
  /** The next call number; it never goes back, not on a restart of the conversation either. */
  readonly nextCall: (to?: 'tool') => number;
  /** Randomness at (column, row, call number): the same call draws the same on a replay. */
  readonly randomOf: (call: number) => Random;
  /** The seed of its requests, so that equal prompts may be answered differently; none outside of attempts. */
  readonly seed?: number;
  /** The values of the columns that the cell reads. */
  readonly values?: RowValues | undefined;
}

/** Gives the values of a row by their columns, without boxes. */
export type RowValues = () => Readonly<Record<string, CellValue>>;

/** A tool call that has ended, whatever the model makes of it. */
export interface EndedToolCall {
  /** Provider and tool; null for a tool that does not exist. */
  readonly tool: string | null;
  readonly failed: boolean;
  /** Whether its result was cut at `max_result_chars`. */
  readonly isCut?: boolean;
  /** Whether the model sees notes in place of items of its result. */
  readonly isPart?: boolean;
}

/** The cell that makes calls, and a listener to their ends. */
export interface ToolTurnContext extends CallContext {
  readonly onToolCall?: (call: EndedToolCall) => void;
  /** Whether the caller sees to failed calls itself, whatever the tool config says. */
  readonly takesFailures?: boolean;
}

/**
 * The tools of one tool alias, as a conversation uses them. A completion response is the model's message. Mistakes of a tool
 * or a model are never thrown.
 */
export interface ToolBox {
  readonly toolAlias: string;
  readonly maxToolCallTurns: number;
  /** The tools as requests describe them, the same all through a run. */
  readonly getToolSchemas: () => Promise<readonly ToolSchema[]>;
  /** Whether the model asks for tools. */
  readonly hasToolCalls: (response: ChatMessage) => boolean;
  /** How many calls it asks for: one response is one turn, however many. */
  readonly toolCallCount: (response: ChatMessage) => number;
  /** Runs the calls of a response side by side: the response, and a tool message for each call in the model's order. */
  readonly processCompletionResponse: (
    response: ChatMessage,
    context: ToolTurnContext,
  ) => Promise<readonly ChatMessage[]>;
  /** Tells the model that its turns are used up: the response, and a tool message for each call. */
  readonly refuseCompletionResponse: (response: ChatMessage) => readonly ChatMessage[];
}
