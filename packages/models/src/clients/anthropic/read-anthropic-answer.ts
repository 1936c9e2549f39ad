import { DataDesignerError, stringifyJson, type ToolCall } from '@data-designer/core';
import type { ChatAnswer, Spent } from '../../model-client.ts';
import { NO_ANSWER } from '../no-answer.ts';
import { providerText } from '../provider-text.ts';
import { readTokens } from '../read-tokens.ts';
import { refused } from '../refused.ts';

interface Block {
  readonly type?: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
}

/** The parts of an answer that are read. */
interface WireAnswer {
  readonly content?: unknown;
  readonly stop_reason?: unknown;
  readonly stop_details?: { readonly explanation?: unknown } | null;
  readonly usage?: unknown;
  readonly error?: unknown;
}

/** Reads an answer of the Messages protocol; throws `model/bad-answer`, also for a model that will not answer. */
export function readAnthropicAnswer(body: unknown, model: string): ChatAnswer {
  const { content, stop_reason: reason, stop_details: details, error } = (body ?? {}) as WireAnswer;
  if (!Array.isArray(content)) {
    const found = error ? `it tells of an error: ${providerText(stringifyJson(error))}` : 'it holds no content';
    throw new DataDesignerError('model/bad-answer', { model, reason: found });
  }
  const blocks = content as readonly Block[];
  const reasoning = textsIn(blocks, 'thinking').join('\n');
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(readCall);
  const texts = textsIn(blocks, 'text');
  // What was written before a refusal is to be left aside, as the protocol has it.
  if (reason === 'refusal') throw refused(model, wordsOf(details?.explanation, texts));
  return {
    message: {
      role: 'assistant',
      content: texts.length > 0 ? texts.join('\n') : null,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
    finishReason: typeof reason === 'string' ? reason : null,
    ...(blocks.some(isThinking) ? { asWritten: asWritten(blocks) } : {}),
  };
}

function wordsOf(explanation: unknown, texts: readonly string[]): string {
  return typeof explanation === 'string' && explanation !== '' ? explanation : texts.join('\n');
}

/** All that was written, empty texts aside; thinking that was cut off may not be the last of a message. */
function asWritten(blocks: readonly Block[]): readonly Block[] {
  const kept = blocks.filter(({ type, text }) => type !== 'text' || text);
  const last = kept.at(-1);
  return last && isThinking(last) ? [...kept, { type: 'text', text: NO_ANSWER }] : kept;
}

/** Thinking is signed: it counts as the model's own only if it goes back unchanged, all of it. */
function isThinking({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function textsIn(blocks: readonly Block[], type: 'text' | 'thinking'): readonly string[] {
  return blocks.filter((block) => block.type === type).map((block) => block[type] ?? '');
}

function readCall({ id = '', name = '', input }: Block): ToolCall {
  return { id, type: 'function', function: { name, arguments: input == null ? '' : stringifyJson(input) } };
}

/** What an answer took; this protocol gives no pictures. */
export function readSpent(body: unknown): Spent {
  const { usage } = (body ?? {}) as WireAnswer;
  return { tokens: readTokens(usage), pictures: 0 };
}
