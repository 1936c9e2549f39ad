import { DataDesignerError, stringifyJson, type ToolCall } from '@data-designer/core';
import type { ChatAnswer, TokenCounts } from '../../model-client.ts';
import { providerText } from '../provider-text.ts';

interface Block {
  readonly type?: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
}

interface Usage {
  readonly input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly output_tokens?: number | null;
}

/** The parts of an answer that are read. */
interface WireAnswer {
  readonly content?: unknown;
  readonly stop_reason?: string | null;
  readonly usage?: Usage | null;
  readonly error?: unknown;
}

/** Reads an answer of the Messages protocol; throws `model/bad-answer`. */
export function readAnthropicAnswer(body: unknown, model: string): ChatAnswer {
  const { content, stop_reason: finishReason, usage, error } = (body ?? {}) as WireAnswer;
  if (!Array.isArray(content)) {
    const reason = error ? `it tells of an error: ${providerText(stringifyJson(error))}` : 'it holds no content';
    throw new DataDesignerError('model/bad-answer', { model, reason });
  }
  const blocks = content as readonly Block[];
  const reasoning = textsIn(blocks, 'thinking').join('\n');
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(readCall);
  const texts = textsIn(blocks, 'text');
  return {
    message: {
      role: 'assistant',
      content: texts.length > 0 ? texts.join('\n') : null,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
    finishReason: finishReason ?? null,
    tokens: readTokens(usage),
    ...(blocks.some(isThinking) ? { asWritten: blocks.filter(({ type, text }) => type !== 'text' || text) } : {}),
  };
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

/** This protocol tells cached input apart from the rest, and reasoning not at all. */
function readTokens(usage: Usage | null | undefined): TokenCounts {
  const input = usage?.input_tokens ?? null;
  const cachedInput = usage?.cache_read_input_tokens ?? null;
  const all = input === null ? null : input + (cachedInput ?? 0) + (usage?.cache_creation_input_tokens ?? 0);
  return { input: all, cachedInput, output: usage?.output_tokens ?? null, reasoning: null };
}
