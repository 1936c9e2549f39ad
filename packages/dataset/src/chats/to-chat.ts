import { type ChatMessage, joinHistory, toChatMessage, type ToolSchema, type Message } from '@data-designer/core';
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

/** The parts of a conversation besides its trace. */
export interface ChatParts {
  /** The tools that the model received. */
  readonly tools: readonly ToolSchema[];
  /** The messages before those of the trace. */
  readonly history?: readonly ChatMessage[];
}

/** Converts a trace; undefined for one that does not end with an answer. */
export function toChat(
  trace: readonly Message[] | null,
  { tools, history = [] }: ChatParts,
  { reasoning = false, corrections = false }: ChatOptions = {},
): Chat | undefined {
  const last = trace?.at(-1);
  if (!trace || last?.role !== 'assistant' || last.tool_calls) return undefined;
  const kept = corrections ? trace : withoutCorrections(trace);
  const own = kept.map((message) => exported(message, reasoning));
  const messages = toOpenAIMessages(joinHistory(history.map(toChatMessage), own));
  return tools.length > 0 ? { messages, tools } : { messages };
}

/** Drops invalid answers and their corrections: all user messages but a first one, the prompt, which a history may replace. */
export function withoutCorrections<Item extends Pick<Message, 'role'>>(trace: readonly Item[]): readonly Item[] {
  const start = trace.findIndex(({ role }) => role !== 'system');
  const opening = trace[start]?.role === 'user' ? start : -1;
  const isCorrection = (index: number): boolean => index > opening && trace[index]?.role === 'user';
  return trace.filter((_, index) => !isCorrection(index) && !isCorrection(index + 1));
}

/** The message as in a request, with its reasoning only if that is exported. */
function exported(message: Message, reasoning: boolean): ChatMessage {
  return toChatMessage(reasoning ? message : { ...message, reasoning_content: null });
}
