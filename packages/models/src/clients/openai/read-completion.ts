import { type Address, type ChatMessage, DataDesignerError, type ToolCall } from '@data-designer/core';
import type { ChatAnswer, TokenCounts } from '../../model-client.ts';
import { providerText } from '../provider-text.ts';

/** The parts of a chat completion that are read; endpoints leave out what they like. */
export interface Completion {
  readonly choices?: readonly {
    readonly message?: WireMessage | null;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: WireUsage | null;
  readonly stop_reason?: string | null;
  readonly error?: unknown;
}

/** One answer within a completion. */
export interface WireMessage {
  readonly content?: string | readonly { readonly type?: string; readonly text?: string }[] | null;
  readonly reasoning?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly WireToolCall[] | null;
  readonly images?: unknown;
}

interface WireToolCall {
  readonly id?: string | null;
  readonly function?: { readonly name?: string; readonly arguments?: unknown };
}

interface Details {
  readonly reasoning_tokens?: number | null;
  readonly cached_tokens?: number | null;
}

/** Tokens as endpoints tell them, under either of their names. */
export interface WireUsage extends Details {
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly completion_tokens_details?: Details | null;
  readonly output_tokens_details?: Details | null;
  readonly prompt_tokens_details?: Details | null;
  readonly input_tokens_details?: Details | null;
}

/** The first choice of a completion; throws `model/bad-answer` where there is none. */
export function readChoice(body: unknown, model: string): { message: WireMessage; completion: Completion } {
  const bad = (reason: string) => new DataDesignerError('model/bad-answer', { model, reason });
  if (typeof body !== 'object' || body === null) throw bad('it is not a JSON object (is the endpoint a chat API?)');
  const completion = body as Completion;
  const message = completion.choices?.[0]?.message;
  if (message) return { message, completion };
  // Some endpoints tell of a failure behind them with status 200.
  if (completion.error) throw bad(`it tells of an error: ${providerText(JSON.stringify(completion.error))}`);
  throw bad('it holds no choices');
}

/** Reads a chat completion; throws `model/bad-answer`. */
export function readCompletion(body: unknown, model: string, at: Address): ChatAnswer {
  const { message, completion } = readChoice(body, model);
  return {
    message: readMessage(message, at),
    finishReason: completion.choices?.[0]?.finish_reason ?? completion.stop_reason ?? null,
    tokens: readTokens(completion.usage),
  };
}

function readMessage(message: WireMessage, at: Address): ChatMessage {
  const { tool_calls: calls } = message;
  const reasoning = message.reasoning || message.reasoning_content;
  return {
    role: 'assistant',
    content: textOf(message),
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...(calls && calls.length > 0 ? { tool_calls: calls.map((call, index) => readToolCall(call, index, at)) } : {}),
  };
}

/** The text of an answer; parts that are not text are left out. */
export function textOf({ content }: WireMessage): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  return (content as readonly { readonly text?: string }[]).flatMap(({ text }) => text ?? []).join('\n');
}

/** A call without an id gets one made of its address, so that a replay makes the same one. */
function readToolCall(call: WireToolCall, index: number, at: Address): ToolCall {
  const given = call.function?.arguments;
  return {
    id: call.id || `call_${at.row}_${at.call}_${index}`,
    type: 'function',
    function: {
      name: call.function?.name ?? '',
      arguments: typeof given === 'string' ? given : given == null ? '' : JSON.stringify(given),
    },
  };
}

/** What an answer took; null for what is not told. */
export function readTokens(usage: WireUsage | null | undefined): TokenCounts {
  const read = usage?.prompt_tokens_details ?? usage?.input_tokens_details;
  const written = usage?.completion_tokens_details ?? usage?.output_tokens_details;
  return {
    input: usage?.prompt_tokens ?? usage?.input_tokens ?? null,
    cachedInput: read?.cached_tokens ?? usage?.cached_tokens ?? null,
    output: usage?.completion_tokens ?? usage?.output_tokens ?? null,
    reasoning: written?.reasoning_tokens ?? usage?.reasoning_tokens ?? null,
  };
}
