import type { ChatMessage, ToolCall, ToolSchema } from './message.ts';
import type { Random } from './random.ts';

/** Whose calls these are: a cell, counting what it asks of the gateway in program order. */
export interface CallSite {
  readonly row: number;
  readonly column: string;
  readonly signal: AbortSignal;
  /** The next call number; it never goes back, not on a restart of the conversation either. */
  readonly nextCall: () => number;
  /** Randomness at (column, row, call number): the same call draws the same on a replay. */
  readonly randomOf: (call: number) => Random;
}

/** The tools of one tool alias, as a conversation uses them. Executing never throws for what a tool or model did wrong. */
export interface ToolBox {
  readonly toolAlias: string;
  readonly maxToolCallTurns: number;
  /** What the model is told, the same all through a run. */
  readonly schemas: () => Promise<readonly ToolSchema[]>;
  /** Runs the calls of one turn side by side; one tool message per call, in the order the model wrote them. */
  readonly execute: (calls: readonly ToolCall[], site: CallSite) => Promise<readonly ChatMessage[]>;
  /** Tells the model that its turns are used up; one tool message per call. */
  readonly refuse: (calls: readonly ToolCall[]) => readonly ChatMessage[];
}
