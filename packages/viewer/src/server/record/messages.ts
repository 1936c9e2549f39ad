import { costOfTokens, type Fields, fieldsOf, isFields, itemsOf, type Pricing, stringOf } from '@data-designer/core';
import type { CutText, Media } from '../../api/cells.ts';
import type { Message, TracePage } from '../../api/conversation.ts';
import { cutText } from '../cut-cell.ts';

/** The characters sent of each text of a message. */
const CHARACTERS = 20_000;

type Prices = Readonly<Record<string, { readonly model: string; readonly pricing: Pricing | null }>>;

/** The price of a model by the name in an answer; of a plan with one model, that one's. */
export function pricesOf(models: Prices): MessageContext['priceOf'] {
  const all = Object.values(models);
  return (model) =>
    (all.find((one) => one.model === model) ?? (all.length === 1 ? all[0] : undefined))?.pricing ?? null;
}

/** What the messages of a conversation are shown with. */
export interface MessageContext {
  /** The price of a model by the name in an answer; null if unknown. */
  readonly priceOf: (model: string | null) => Pricing | null;
  /** The address of a part that is no text. */
  readonly mediaOf: (part: Fields, at: { readonly message: number; readonly part: number }) => Media | undefined;
  /** The characters of each text; default 20,000. */
  readonly characters?: number;
}

/** Some messages of a conversation, as a trace or a failure holds it. */
export function tracePage(
  column: string,
  trace: readonly unknown[],
  { from, count, ...context }: MessageContext & { readonly from: number; readonly count: number },
): TracePage {
  const messages = trace.slice(from, from + count).map((one, at) => messageOf(fieldsOf(one), from + at, context));
  return { column, total: trace.length, from, messages };
}

function messageOf(message: Fields, number: number, context: MessageContext): Message {
  const { priceOf, mediaOf, characters } = context;
  const cut = (text: string | null): CutText | null => cutMessage(text, characters);
  const model = stringOf(message['model']);
  const parts = itemsOf(message['content_parts'] ?? message['content']).filter(isFields);
  return {
    number,
    role: roleOf(message['role']),
    content: cut(contentOf(message)),
    reasoning: cut(stringOf(message['reasoning_content'])),
    toolCalls: itemsOf(message['tool_calls']).map((call) => {
      const { id, function: asked } = fieldsOf(call);
      const { name, arguments: text } = fieldsOf(asked);
      return { id: stringOf(id) ?? '', name: stringOf(name) ?? '', arguments: cut(stringOf(text)) ?? NOTHING };
    }),
    toolCallId: stringOf(message['tool_call_id']),
    media: parts.flatMap((part, at) =>
      part['type'] === 'text' ? [] : (mediaOf(part, { message: number, part: at }) ?? []),
    ),
    model,
    finishReason: stringOf(message['finish_reason']),
    usage: usageOf(message['usage'], priceOf(model)),
  };
}

const NOTHING: CutText = { text: '', length: 0 };

/** The text of a message: its content, or the texts of its parts. */
export function contentOf(message: Fields): string | null {
  const { content } = message;
  if (typeof content === 'string') return content;
  const parts = itemsOf(message['content_parts'] ?? content).filter(isFields);
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? text : []));
  return texts.length > 0 ? texts.join('\n') : null;
}

function roleOf(role: unknown): Message['role'] {
  return role === 'system' || role === 'user' || role === 'tool' ? role : 'assistant';
}

/** The first characters of a text of a conversation. */
export function cutMessage(text: string | null, characters = CHARACTERS): CutText | null {
  return text === null ? null : { text: cutText(text, characters), length: text.length };
}

/** The tokens of an answer as a conversation stores them, and what they cost. */
export function usageOf(value: unknown, pricing: Pricing | null): Message['usage'] {
  if (!isFields(value)) return null;
  const count = (name: string) => (typeof value[name] === 'number' ? value[name] : null);
  const [input, cached, output] = [count('input_tokens'), count('cached_input_tokens'), count('output_tokens')];
  const isPriced = pricing !== null && input !== null && output !== null;
  return {
    inputTokens: input,
    cachedInputTokens: cached,
    outputTokens: output,
    reasoningTokens: count('reasoning_tokens'),
    cost: isPriced ? costOfTokens({ input, cachedInput: cached ?? 0, output }, pricing) : null,
  };
}
