import type { Message } from '@data-designer/core';

/** Drops invalid answers and their corrections: all user messages but a first one, the prompt, which a history may replace. */
export function withoutCorrections<Item extends Pick<Message, 'role'>>(trace: readonly Item[]): readonly Item[] {
  const start = trace.findIndex(({ role }) => role !== 'system');
  const opening = trace[start]?.role === 'user' ? start : -1;
  const isCorrection = (index: number): boolean => index > opening && trace[index]?.role === 'user';
  return trace.filter((_, index) => !isCorrection(index) && !isCorrection(index + 1));
}
