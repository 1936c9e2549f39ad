import { expect } from 'vitest';
import type { ChatMessage } from '@data-designer/core';

/** A message as it was observed; its content in the compact form of the facts. */
export interface ExpectedMessage extends Omit<ChatMessage, 'content'> {
  readonly content: unknown;
}

interface ExpectedBlock {
  readonly type: string;
  readonly source?: { readonly url: string };
  readonly image_url?: { readonly url: string };
}

/** The words of the observed tool that ours stand for. */
const THEIR_REFUSAL = 'Tool call refused: ';
const OUR_REFUSAL = 'This tool call was not run: ';

/** Whether a message is what was observed, in our words where those are ours. */
export function checkMessage(found: ChatMessage, expected: ExpectedMessage, isCorrection: string | undefined): void {
  const { content, ...rest } = found;
  const { content: theirs, ...others } = expected;
  expect(rest).toEqual(others);
  if (isCorrection !== undefined) expect(content).toBe(isCorrection);
  else if (typeof theirs === 'string' && theirs.startsWith(THEIR_REFUSAL)) expect(content).toContain(OUR_REFUSAL);
  else checkContent(content, theirs);
}

function checkContent(found: ChatMessage['content'], expected: unknown): void {
  if (Array.isArray(expected)) return expect(found).toEqual(expected.map(partOf));
  if (typeof expected !== 'object' || expected === null) return expect(readable(found)).toEqual(readable(expected));
  const { $starts_with: start = '', $contains: pieces = [] } = expected as {
    readonly $starts_with?: string;
    readonly $contains?: readonly string[];
  };
  expect(wordsOf({ content: found }).startsWith(start)).toBe(true);
  for (const piece of pieces) expect(found).toContain(piece);
}

/** JSON text by what it says: spaces do not count. */
function readable(content: unknown): unknown {
  if (typeof content !== 'string' || !/^[[{]/.test(content)) return content;
  try {
    return { json: JSON.parse(content) as unknown };
  } catch {
    return content;
  }
}

/** A block as we keep it. */
function partOf(block: ExpectedBlock): unknown {
  const { url } = block.image_url ?? block.source ?? {};
  if (url === undefined) return block;
  const mediaType = /^data:([^;]+)/.exec(url)?.[1];
  return { type: 'image', url, ...(mediaType === undefined ? {} : { media_type: mediaType }) };
}

/** The text of a message; empty where it is none. */
export function wordsOf({ content }: Pick<ChatMessage, 'content'>): string {
  return typeof content === 'string' ? content : '';
}
