import type { ChatMessage } from './message.ts';

const START = '<think>';
const END = '</think>';

/** An answer and the model's reasoning before it. */
export interface SplitAnswer {
  /** Undefined if absent or unterminated. */
  readonly thinking: string | undefined;
  readonly answer: string;
}

/**
 * Splits the reasoning between `<think>` tags from the start of an answer; chat templates may omit the opening tag.
 * Unterminated reasoning stays in the answer, because no answer follows it.
 */
export function splitThinking(text: string): SplitAnswer {
  const begins = startsThinking(text);
  const end = begins ? text.indexOf(END) : loneEnd(text);
  if (end < 0) return { thinking: undefined, answer: text };
  const thinking = text.slice(begins ? text.indexOf(START) + START.length : 0, end).trim();
  return { thinking, answer: text.slice(end + END.length).trim() };
}

/** Whether an answer begins with thinking. */
export function startsThinking(text: string): boolean {
  return text.startsWith(START) || (/^\s/.test(text) && text.trimStart().startsWith(START));
}

/** Moves the reasoning in a model's message to `reasoning_content`; returns a message without any unchanged. */
export function withReasoning(message: ChatMessage): ChatMessage {
  const { role, content, reasoning_content: reasoning } = message;
  if (role !== 'assistant' || typeof content !== 'string') return message;
  const { thinking, answer } = splitThinking(content);
  if (thinking === undefined) return message;
  const said = [reasoning ?? '', thinking].filter((part) => part !== '').join('\n');
  return { ...message, content: answer, ...(said === '' ? {} : { reasoning_content: said }) };
}

/** The index of a closing tag without an opening one, at a line boundary and outside fences; negative if none. */
function loneEnd(text: string): number {
  const end = text.indexOf(END);
  if (end < 0) return end;
  const before = text.slice(0, end);
  const stands = /(?:^|\n)[ \t]*$/.test(before) || /^[ \t]*(?:\n|$)/.test(text.slice(end + END.length));
  const fences = before.match(/^[ \t]*(?:```|~~~)/gm)?.length ?? 0;
  return stands && fences % 2 === 0 && !before.includes(START) ? end : -1;
}
