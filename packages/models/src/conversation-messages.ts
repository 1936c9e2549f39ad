import { type ChatMessage, type ContentPart, type HistoryMessage, type Question } from '@data-designer/core';

/** The messages of a conversation before its first request. */
export interface Opening {
  /** The system message; none if absent. */
  readonly system?: ChatMessage;
  readonly history: readonly HistoryMessage[];
  /** Media and the prompt; absent where the history is answered. */
  readonly user?: ChatMessage;
}

/** Renders the first messages of a conversation. A system prompt replaces the system message of the history. */
export async function opening({ systemPrompt, history, prompt, media }: Question<unknown>): Promise<Opening> {
  // An empty system prompt means none.
  const system = systemPrompt?.() ?? '';
  const past = history?.() ?? [];
  const text = prompt();
  const shown = media ? await media() : [];
  const isAnswered = text === '' && shown.length === 0 && past.some(({ role }) => role !== 'system');
  return {
    ...(system === '' ? {} : { system: { role: 'system', content: system } }),
    history: system === '' ? past : past.filter(({ role }) => role !== 'system'),
    ...(isAnswered ? {} : { user: { role: 'user', content: contentOf(shown, text) } }),
  };
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
