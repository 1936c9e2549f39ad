import type { ChatMessage } from '@data-designer/core';

const conversations = new WeakMap<object, readonly ChatMessage[]>();

/** Remembers, within this thread, the conversation that a failure ended; the first one told counts. */
export function keepConversation(failure: unknown, messages: readonly ChatMessage[]): void {
  if (typeof failure !== 'object' || failure === null || conversations.has(failure)) return;
  conversations.set(failure, messages);
}

/** The conversation that a failure ended, as it stood then; undefined if it ended none. */
export function conversationOf(failure: unknown): readonly ChatMessage[] | undefined {
  return typeof failure === 'object' && failure !== null ? conversations.get(failure) : undefined;
}
