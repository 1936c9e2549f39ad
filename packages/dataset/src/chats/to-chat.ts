import { type ChatMessage, toChatMessage, type ToolSchema, type TraceMessage } from '@data-designer/core';
import { toOpenAIMessages } from '@data-designer/models';

/** The optional parts of an exported conversation. */
export interface ChatOptions {
  /** Keeps the model's reasoning as `reasoning_content`; false unless given. */
  readonly reasoning?: boolean;
  /** Keeps answers that were not valid, and the messages that corrected them; false unless given. */
  readonly corrections?: boolean;
}

/** A conversation in the format of OpenAI's fine-tuning. */
export interface Chat {
  readonly messages: readonly unknown[];
  readonly tools?: readonly ToolSchema[];
}

/** Converts a trace; undefined for one that does not end with an answer. */
export function toChat(
  trace: readonly TraceMessage[] | null,
  tools: readonly ToolSchema[],
  { reasoning = false, corrections = false }: ChatOptions = {},
): Chat | undefined {
  const last = trace?.at(-1);
  if (!trace || last?.role !== 'assistant' || last.tool_calls) return undefined;
  const kept = corrections ? trace : withoutCorrections(trace);
  const messages = toOpenAIMessages(kept.map((message) => exported(message, reasoning)));
  return tools.length > 0 ? { messages, tools } : { messages };
}

/** Drops invalid answers and their corrections, which are the only user messages after the first. */
function withoutCorrections(trace: readonly TraceMessage[]): readonly TraceMessage[] {
  const opening = trace.findIndex(({ role }) => role === 'user');
  const isCorrection = (index: number): boolean => index > opening && trace[index]?.role === 'user';
  return trace.filter((_, index) => !isCorrection(index) && !isCorrection(index + 1));
}

/** The message as in a request, with its reasoning only if that is exported. */
function exported(message: TraceMessage, reasoning: boolean): ChatMessage {
  return toChatMessage(reasoning ? message : { ...message, reasoning_content: null });
}
