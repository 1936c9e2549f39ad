import { type Address, DataDesignerError, legalToolCall, stringifyJson, type ToolCall } from '@data-designer/core';
import type { ChatAnswer } from '../../model-client.ts';
import { NO_ANSWER } from '../no-answer.ts';
import { providerText } from '../../answers/provider-text.ts';
import { readToolCalls } from '../../answers/read-tool-calls.ts';
import { refused } from '../../answers/model-refusals.ts';

interface Block {
  readonly type?: string;
  readonly text?: unknown;
  readonly thinking?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
}

/** The parts of an answer that are read. */
interface MessagesAnswer {
  readonly content?: unknown;
  readonly stop_reason?: unknown;
  readonly model?: unknown;
  readonly stop_details?: { readonly explanation?: unknown } | null;
  readonly error?: unknown;
}

/** Reads an answer of the Messages protocol; throws `model/bad-answer`, also for a model that will not answer. */
export function readAnthropicAnswer(body: unknown, model: string, at: Address): ChatAnswer {
  const { content, stop_reason: reason, stop_details: details, model: named, error } = (body ?? {}) as MessagesAnswer;
  if (!Array.isArray(content)) {
    const found = error ? `it tells of an error: ${providerText(stringifyJson(error))}` : 'it holds no content';
    throw new DataDesignerError('model/bad-answer', { model, reason: found });
  }
  const blocks = content.filter((block): block is Block => typeof block === 'object' && block !== null);
  const reasoning = textsIn(blocks, 'thinking').join('\n');
  const calls = callsIn(blocks, at);
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
    model: typeof named === 'string' ? named : null,
    ...(blocks.some(isThinking) ? { asWritten: asWritten(blocks, calls) } : {}),
  };
}

function wordsOf(explanation: unknown, texts: readonly string[]): string {
  return typeof explanation === 'string' && explanation !== '' ? explanation : texts.join('\n');
}

/** All that was written, empty texts aside; thinking that was cut off may not be the last of a message. */
function asWritten(blocks: readonly Block[], calls: readonly ToolCall[]): readonly Block[] {
  const kept = withLegalCalls(blocks, calls).filter(({ type, text }) => type !== 'text' || text);
  const last = kept.at(-1);
  return last && isThinking(last) ? [...kept, { type: 'text', text: NO_ANSWER }] : kept;
}

/** Calls that the protocol would not take back are mended; results go by the ids that calls were given here. */
function withLegalCalls(blocks: readonly Block[], calls: readonly ToolCall[]): readonly Block[] {
  const left = calls.map(legalToolCall);
  return blocks.map((block) => {
    const call = block.type === 'tool_use' ? left.shift() : undefined;
    if (call === undefined) return block;
    const { name, arguments: text } = call.function;
    const isWhole = call.id === block.id && name === block.name && isObject(block.input);
    return isWhole ? block : { ...block, id: call.id, name, input: JSON.parse(text) as unknown };
  });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Thinking is signed: it counts as the model's own only if it goes back unchanged, all of it. */
function isThinking({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function textsIn(blocks: readonly Block[], type: 'text' | 'thinking'): readonly string[] {
  const texts = blocks.filter((block) => block.type === type).map((block) => block[type]);
  return texts.map((text) => (typeof text === 'string' ? text : ''));
}

/** The calls of an answer; an input that is text is no object, and is told the model as the JSON that it is. */
function callsIn(blocks: readonly Block[], at: Address): readonly ToolCall[] {
  const uses = blocks.filter(({ type }) => type === 'tool_use');
  const written = uses.map(({ id, name, input }) => {
    return { id, name, arguments: typeof input === 'string' ? stringifyJson(input) : input };
  });
  return readToolCalls(written, at);
}
