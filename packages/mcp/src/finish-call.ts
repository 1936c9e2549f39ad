import {
  type ChatMessage,
  type ContentPart,
  type ToolCall,
  type ToolFailureKind,
  toolFailurePrefix,
} from '@data-designer/core';
import type { ToolOutcome } from './prepare-call.ts';
import type { StructuredUse } from './structured-content.ts';
import { readToolResult } from './tool-result.ts';

/** The tool message for the model, and why it is an error. */
export interface FinishedCall {
  readonly message: ChatMessage;
  readonly failure?: { readonly kind: ToolFailureKind; readonly reason: string };
  /** Whether the text was cut. */
  readonly isCut: boolean;
  /** Whether notes stand in place of items. */
  readonly isPart: boolean;
}

/** How a result is shown to the model. */
export interface ShownResult {
  readonly maxChars: number;
  readonly structured?: StructuredUse | undefined;
}

type Content = NonNullable<ChatMessage['content']>;

/**
 * Step 3 of a tool call: the tool message for an outcome, cut where its text is longer than `maxChars` characters; every failure reads
 * `Error: Tool '<name>' failed: <reason>`.
 */
export function finishCall(call: ToolCall, outcome: ToolOutcome, shown: ShownResult): FinishedCall {
  const { name } = call.function;
  const read =
    outcome.kind === 'failed'
      ? { failed: true as const, why: outcome.why, reason: outcome.reason }
      : readToolResult(outcome.body, shown.structured);
  const content = read.failed ? `${toolFailurePrefix(name)}${read.reason}` : read.content;
  const left = cut(content, shown.maxChars);
  const message: ChatMessage = { role: 'tool', content: left, tool_call_id: call.id };
  const finished = { message, isCut: left !== content, isPart: !read.failed && read.isPart };
  return read.failed ? { ...finished, failure: { kind: read.why, reason: read.reason } } : finished;
}

/** Content whose text is not longer than so many characters, with a note where something was left out. */
function cut(content: Content, maxChars: number): Content {
  if (typeof content === 'string') {
    return content.length <= maxChars ? content : cutText(content, maxChars) + noteOf(maxChars, content.length);
  }
  const length = content.reduce((sum, { text = '' }) => sum + text.length, 0);
  return length <= maxChars ? content : [...cutParts(content, maxChars), note(maxChars, length)];
}

function cutParts(parts: readonly ContentPart[], maxChars: number): readonly ContentPart[] {
  let left = maxChars;
  return parts.flatMap((part) => {
    if (part.type !== 'text') return [part];
    const text = cutText(part.text ?? '', left);
    left -= text.length;
    return text === '' ? [] : [{ ...part, text }];
  });
}

/** The start of a text; a character of two halves is not cut apart. */
function cutText(text: string, maxChars: number): string {
  const last = text.charCodeAt(maxChars - 1);
  const isHalf = text.length > maxChars && last >= 0xd8_00 && last <= 0xdb_ff;
  return text.slice(0, isHalf ? maxChars - 1 : maxChars);
}

function note(maxChars: number, length: number): ContentPart {
  return { type: 'text', text: noteOf(maxChars, length).trimStart() };
}

function noteOf(maxChars: number, length: number): string {
  return `\n[The result was cut here: ${maxChars} of its ${length} characters are shown.]`;
}
