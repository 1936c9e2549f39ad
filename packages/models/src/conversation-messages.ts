import type { ChatMessage, ContentPart, Question } from '@data-designer/core';

/** The first messages of a conversation: an optional system message, then media and the prompt. */
export async function opening({ systemPrompt, prompt, media }: Question<unknown>): Promise<ChatMessage[]> {
  // An empty system prompt means none.
  const system = systemPrompt?.() ?? '';
  const text = prompt();
  const shown = media ? await media() : [];
  const user: ChatMessage = { role: 'user', content: contentOf(shown, text) };
  return system === '' ? [user] : [{ role: 'system', content: system }, user];
}

/** Media first, then the text; plain text without media. */
export function contentOf(shown: readonly ContentPart[], text: string): NonNullable<ChatMessage['content']> {
  return shown.length > 0 ? [...shown, { type: 'text', text }] : text;
}

/** An answer as the conversation keeps it. */
export function answerMessage({ reasoning_content: reasoning }: ChatMessage, text: string): ChatMessage {
  return { role: 'assistant', content: text, ...(reasoning ? { reasoning_content: reasoning } : {}) };
}

/** An assistant message with tool calls: content is null without text, and trimmed if there is reasoning. */
export function toolTurnMessage(message: ChatMessage): ChatMessage {
  const { reasoning_content: reasoning, tool_calls: calls } = message;
  const text = textOf(message);
  const thought = reasoning?.trim();
  return {
    role: 'assistant',
    content: (reasoning ? text.trim() : text) || null,
    ...(thought ? { reasoning_content: thought } : {}),
    ...(calls ? { tool_calls: calls } : {}),
  };
}

/** The text of a model's message; empty where it has none. */
export function textOf({ content }: ChatMessage): string {
  return typeof content === 'string' ? content : '';
}
