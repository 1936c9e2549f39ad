import { type Address, type ChatMessage, DataDesignerError } from '@data-designer/core';
import type { ChatAnswer } from '../../model-client.ts';
import { WITHHELD } from './finish-reasons.ts';
import { providerText } from '../../answers/provider-text.ts';
import { readToolCalls, type WrittenCall } from '../../answers/read-tool-calls.ts';
import { refused } from '../../answers/model-refusals.ts';

/** The parts of a chat completion that are read; endpoints leave out what they like. */
interface Completion {
  readonly choices?: readonly Choice[] | null;
  readonly stop_reason?: unknown;
  readonly model?: unknown;
  readonly error?: unknown;
}

interface Choice {
  readonly message?: CompletionMessage | null;
  readonly finish_reason?: unknown;
  readonly error?: unknown;
}

/** One answer within a completion. */
export interface CompletionMessage {
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly reasoning?: unknown;
  readonly reasoning_content?: unknown;
  readonly tool_calls?: unknown;
  readonly images?: unknown;
}

interface CompletionToolCall {
  readonly id?: unknown;
  readonly function?: WrittenCall | null;
}

/** An answer and how it ended. */
interface Chosen {
  readonly message: CompletionMessage;
  readonly finishReason: string | null;
  readonly model: string | null;
}

/** The first choice of a completion; throws `model/bad-answer` where there is none. */
export function readChoice(body: unknown, model: string): Chosen {
  if (typeof body !== 'object' || body === null) throw badAnswer(model, body);
  const { choices, stop_reason: stopReason, model: named } = body as Completion;
  const choice = Array.isArray(choices) ? (choices[0] as Choice | null | undefined) : undefined;
  const reason = choice?.finish_reason ?? stopReason;
  const finishReason = typeof reason === 'string' ? reason : null;
  // What is held back by a filter may come without a message.
  const message = choice?.message ?? (finishReason === WITHHELD ? {} : undefined);
  if (!message || (choice?.error && !textOf(message))) throw badAnswer(model, message ? choice : body);
  return { message, finishReason, model: typeof named === 'string' ? named : null };
}

/** The failure of an answer that is none; some endpoints tell of a failure behind them with status 200. */
export function badAnswer(model: string, body: unknown): DataDesignerError {
  const isObject = typeof body === 'object' && body !== null;
  const { error } = (isObject ? body : {}) as Completion;
  const none = isObject ? 'it holds no choices' : 'it is not a JSON object (is the endpoint a chat API?)';
  const reason = error ? `it tells of an error: ${providerText(JSON.stringify(error))}` : none;
  return new DataDesignerError('model/bad-answer', { model, reason });
}

/** Reads a chat completion; throws `model/bad-answer`, also for a model that will not answer. */
export function readCompletion(body: unknown, model: string, at: Address): ChatAnswer {
  const { message: said, ...chosen } = readChoice(body, model);
  const message = readMessage(said, at);
  if (!message.content && !message.tool_calls) {
    if (typeof said.refusal === 'string' && said.refusal !== '') throw refused(model, said.refusal);
    if (chosen.finishReason === WITHHELD) throw refused(model, 'what it wrote was held back by a content filter');
  }
  return { ...chosen, message, ...(isNoText(said) ? { isNoText: true } : {}) };
}

function isNoText({ content }: CompletionMessage): boolean {
  return content !== null && content !== undefined && typeof content !== 'string' && !Array.isArray(content);
}

function readMessage(message: CompletionMessage, at: Address): ChatMessage {
  const { reasoning, reasoning_content: other } = message;
  const calls = callsOf(message);
  const thought = [reasoning, other].find((one) => typeof one === 'string' && one !== '') as string | undefined;
  return {
    role: 'assistant',
    content: textOf(message),
    ...(thought === undefined ? {} : { reasoning_content: thought }),
    ...(calls.length > 0 ? { tool_calls: readToolCalls(calls, at) } : {}),
  };
}

/** The text of an answer; parts that are not text are left out. */
export function textOf({ content }: CompletionMessage): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = (content as readonly ({ readonly text?: unknown } | null)[]).map((part) => part?.text);
  return texts.filter((text) => typeof text === 'string').join('\n');
}

/** What of an answer's list of calls can be one. */
function callsOf({ tool_calls: calls }: CompletionMessage): readonly WrittenCall[] {
  const listed: readonly unknown[] = Array.isArray(calls) ? calls : [];
  const found = listed.filter((call): call is CompletionToolCall => typeof call === 'object' && call !== null);
  return found.map(({ id, function: called }) => ({ id, name: called?.name, arguments: called?.arguments }));
}
