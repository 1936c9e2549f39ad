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
