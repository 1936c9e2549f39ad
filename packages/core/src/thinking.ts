import type { ChatMessage } from './message.ts';

const START = '<think>';
const END = '</think>';

/** An answer, and what the model said to itself before it. */
export interface SplitAnswer {
  /** Undefined where there is none, or where it does not end. */
  readonly thinking: string | undefined;
  readonly answer: string;
}

/**
 * Takes the thinking between `<think>` tags from the head of an answer; the first tag may be missing, as chat
 * templates write it. Thinking without an end stays where it is: it has no answer behind it.
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

/** A message of a model with its thinking as reasoning content; the same message if there is none in its text. */
export function withReasoning(message: ChatMessage): ChatMessage {
  const { role, content, reasoning_content: reasoning } = message;
  if (role !== 'assistant' || typeof content !== 'string') return message;
  const { thinking, answer } = splitThinking(content);
  if (thinking === undefined) return message;
  const said = [reasoning ?? '', thinking].filter((part) => part !== '').join('\n');
  return { ...message, content: answer, ...(said === '' ? {} : { reasoning_content: said }) };
}

/** An end of thinking without its beginning, at the start or the end of a line and in no fence; below 0 if none. */
function loneEnd(text: string): number {
  const end = text.indexOf(END);
  if (end < 0) return end;
  const before = text.slice(0, end);
  const stands = /(?:^|\n)[ \t]*$/.test(before) || /^[ \t]*(?:\n|$)/.test(text.slice(end + END.length));
  const fences = before.match(/^[ \t]*(?:```|~~~)/gm)?.length ?? 0;
  return stands && fences % 2 === 0 && !before.includes(START) ? end : -1;
}
