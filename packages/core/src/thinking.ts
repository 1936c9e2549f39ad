import { tryParse } from './json-fields.ts';
import type { ChatMessage } from './message.ts';

/** The tags between which models reason: special tokens of theirs, which nobody asks for. */
const TAGS = [
  ['<think>', '</think>'],
  ['<seed:think>', '</seed:think>'],
  ['◁think▷', '◁/think▷'],
  ['[THINK]', '[/THINK]'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['<|START_THINKING|>', '<|END_THINKING|>'],
] as const;

/** Every text with reasoning in it holds one of these. */
const ENDS = ['>', '▷', '[/THINK]'] as const;

type Tags = readonly [start: string, end: string];

/** The channels of gpt-oss: analysis, then the final answer. */
const CHANNELS =
  /^\s*(?:<\|start\|>assistant)?(?:<\|channel\|>analysis<\|message\|>(?<thinking>.*?)(?:<\|end\|>)?<\|start\|>assistant)?<\|channel\|>final<\|message\|>(?<answer>.*?)(?:<\|(?:return|end)\|>)?\s*$/s;

/** An answer and the model's reasoning before it. */
export interface SplitAnswer {
  /** Undefined if absent or unterminated. */
  readonly thinking: string | undefined;
  readonly answer: string;
}

/**
 * Splits the reasoning between tags such as `<think>` from the start of an answer; chat templates may omit the opening tag.
 * Unterminated reasoning stays in the answer, because no answer follows it.
 */
export function splitThinking(text: string): SplitAnswer {
  if (!ENDS.some((end) => text.includes(end))) return { thinking: undefined, answer: text };
  for (const tags of TAGS) {
    const [start, end] = tags;
    const begins = startsWith(text, start);
    const at = begins ? text.indexOf(end) : loneEnd(text, tags);
    if (at < 0) continue;
    const thinking = text.slice(begins ? text.indexOf(start) + start.length : 0, at).trim();
    return { thinking, answer: text.slice(at + end.length).trim() };
  }
  const { thinking = '', answer } = (text.includes('<|channel|>') ? CHANNELS.exec(text)?.groups : undefined) ?? {};
  if (answer !== undefined) return { thinking: thinking.trim(), answer: answer.trim() };
  return { thinking: undefined, answer: text };
}

/** Whether an answer begins with thinking. */
export function startsThinking(text: string): boolean {
  return TAGS.some(([start]) => startsWith(text, start)) || /^\s*<\|channel\|>analysis<\|message\|>/.test(text);
}

function startsWith(text: string, start: string): boolean {
  return text.startsWith(start) || (/^\s/.test(text) && text.trimStart().startsWith(start));
}

/** Moves the reasoning in a model's message to `reasoning_content`; returns a message without any unchanged. */
export function withReasoning(message: ChatMessage): ChatMessage {
  const { role, content, reasoning_content: reasoning } = message;
  if (role !== 'assistant' || typeof content !== 'string') return message;
  const { thinking, answer } = splitThinking(content);
  if (thinking === undefined) return message;
  const said: string = [reasoning ?? '', thinking].filter((part) => part !== '').join('\n');
  return { ...message, content: answer, ...(said === '' ? {} : { reasoning_content: said }) };
}

/** Characters behind which a tag is quoted if the second one follows it. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '(': ')',
  '[': ']',
  '“': '”',
  '‘': '’',
};

/**
 * The index of a closing tag without an opening one, outside code and JSON; negative if none. It ends the reasoning if it is
 * at a line boundary, or touches the text before or after it. A tag between spaces may be a word of a sentence.
 */
function loneEnd(text: string, [start, tag]: Tags): number {
  const at = text.indexOf(tag);
  if (at < 0) return at;
  const before = text.slice(0, at);
  const after = text.slice(at + tag.length);
  const fences = before.match(/^[ \t]*(?:```|~~~)/gm)?.length ?? 0;
  if (fences % 2 === 1 || before.includes(start) || isEnclosed(before, after) || isJson(text)) return -1;
  const stands = /(?:^|\n)[ \t]*$/.test(before) || /^[ \t]*(?:\n|$)/.test(after);
  const touches = /\S$/.test(before) || /[.!?…。！？]["')\]]*\s+$/.test(before) || /^[\p{L}\p{N}*#{[<"']/u.test(after);
  return stands || touches ? at : -1;
}

/** Whether quotes or brackets stand around a tag, or inline code holds it. */
function isEnclosed(before: string, after: string): boolean {
  const closing = QUOTES[before.at(-1) ?? ''];
  if (closing !== undefined && after.startsWith(closing)) return true;
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const isOdd = (line.match(/`/g)?.length ?? 0) % 2 === 1;
  return isOdd && /^[^\n]*`/.test(after);
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && tryParse(text, JSON.parse) !== undefined;
}
