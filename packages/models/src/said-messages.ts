import type { ChatMessage } from '@data-designer/core';

/** An answer as the conversation keeps it. */
export function answerMessage({ reasoning_content: reasoning }: ChatMessage, text: string): ChatMessage {
  return { role: 'assistant', content: text, ...(reasoning ? { reasoning_content: reasoning } : {}) };
}

/** An assistant message with tool calls: content is null without text, and trimmed if there is reasoning. */
export function toolTurnMessage(message: ChatMessage): ChatMessage {
  const { reasoning_content: reasoning, tool_calls: calls } = message;
  const text = textOf(message);
  return {
    role: 'assistant',
    content: (reasoning ? text.trim() : text) || null,
    ...(reasoning ? { reasoning_content: reasoning.trim() } : {}),
    ...(calls ? { tool_calls: calls } : {}),
  };
}

/** The text of a model's message; empty where it has none. */
export function textOf({ content }: ChatMessage): string {
  return typeof content === 'string' ? content : '';
}
