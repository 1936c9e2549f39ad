import { type ChatMessage, type ContentPart, legalToolCall, parseVerbatim } from '@data-designer/core';
import { readDataAddress } from '../../data-address.ts';
import {
  filledParts,
  NO_ANSWER,
  NO_CONTENT,
  textIn,
  type TranslationContext,
  unsupportedMedia,
} from '../translate-messages.ts';

/** A conversation in the Messages protocol: system texts apart, then turns of user and assistant. */
export interface AnthropicMessages {
  readonly system?: string;
  readonly messages: readonly AnthropicTurn[];
}

interface AnthropicTurn {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly unknown[];
}

/** Translates a conversation; throws `model/unsupported-capability` for sound and video. */
export function toAnthropicMessages(messages: readonly ChatMessage[], context: TranslationContext): AnthropicMessages {
  const system = messages
    .filter(({ role }) => role === 'system')
    .map(textIn)
    .join('\n\n');
  const turns: AnthropicTurn[] = [];
  /** The results of one turn's tools go back together. */
  let results: unknown[] | undefined;
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!results) turns.push({ role: 'user', content: (results = []) });
      results.push(toolResult(message, context.model));
      continue;
    }
    results = undefined;
    if (message.role === 'system') continue;
    turns.push({ role: message.role, content: contentOf(message, context) });
  }
  // The protocol takes no conversation that begins with an answer.
  if (turns.length > 1 && turns[0]?.role === 'assistant') turns.unshift({ role: 'user', content: NO_CONTENT });
  return { ...(system === '' ? {} : { system }), messages: turns };
}

function contentOf(message: ChatMessage, { model, asWritten }: TranslationContext): string | readonly unknown[] {
  const { role, content } = message;
  const written = asWritten?.get(message);
  if (role === 'assistant') return Array.isArray(written) ? written : assistantBlocks(message);
  return typeof content === 'string' ? content : blocksOf(content ?? [], model);
}

function assistantBlocks(message: ChatMessage): unknown[] {
  const text = textIn(message);
  const calls = (message.tool_calls ?? []).map(legalToolCall).map(({ id, function: { name, arguments: args } }) => ({
    type: 'tool_use',
    id,
    name,
    input: parseVerbatim(args),
  }));
  if (text.trim() !== '') return [{ type: 'text', text }, ...calls];
  return calls.length > 0 ? calls : [{ type: 'text', text: NO_ANSWER }];
}

function toolResult({ content, tool_call_id: id }: ChatMessage, model: string): unknown {
  const parts = typeof content === 'string' ? [] : (content ?? []);
  const hasMedia = parts.some(({ type }) => type !== 'text');
  const shown = hasMedia ? blocksOf(parts, model) : textIn({ content });
  return { type: 'tool_result', tool_use_id: id, content: shown };
}

function blocksOf(parts: readonly ContentPart[] | string, model: string): unknown[] {
  if (typeof parts === 'string') return [{ type: 'text', text: parts }];
  return filledParts(parts).map((part) => blockOf(part, model));
}

function blockOf(part: ContentPart, model: string): unknown {
  const { type, text, url = '' } = part;
  if (type === 'text') return { type, text };
  if (type !== 'image') throw unsupportedMedia(part, model, 'anthropic');
  const data = readDataAddress(url);
  if (!data) return { type, source: { type: 'url', url } };
  return { type, source: { type: 'base64', media_type: data.mediaType, data: data.base64 } };
}
