import type { ToolCall } from '@data-designer/core';
import type { Draws } from '../draws.ts';
import type { Fault } from '../fault.ts';
import type { ChatRequest } from './chat-request.ts';
import type { Prompt } from './prompt.ts';

/** One turn of a conversation, as the answer depends on it. */
export interface Turn {
  readonly request: ChatRequest;
  readonly prompt: Prompt;
  /** The draws of this request. */
  readonly draws: Draws;
  /** The draws that all turns of the conversation share. */
  readonly shared: Draws;
  readonly fault: Fault | undefined;
  /** How long plain text is to be, in tokens; `max` for what the request allows; as it comes where undefined. */
  readonly outputTokens: number | 'max' | undefined;
}

/** What the model says in one turn. */
export interface Answer {
  readonly content: string | null;
  readonly reasoning?: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: 'stop' | 'tool_calls' | 'length';
}
