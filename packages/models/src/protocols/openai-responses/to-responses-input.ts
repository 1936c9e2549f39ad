import { type ChatMessage, type ContentPart, legalToolCall } from '@data-designer/core';
import type {
  ResponseCreateParamsNonStreaming,
  ResponseInputImage,
  ResponseInputItem,
  ResponseInputText,
} from 'openai/resources/responses/responses';
import {
  filledParts,
  NO_ANSWER,
  NO_CONTENT,
  textIn,
  type TranslationContext,
  unsupportedMedia,
} from '../translate-messages.ts';

/** A conversation as the Responses API takes it; throws `model/unsupported-capability` for sound and video. */
export function toResponsesInput(
  messages: readonly ChatMessage[],
  context: TranslationContext,
): Pick<ResponseCreateParamsNonStreaming, 'instructions' | 'input'> {
  const system = messages.filter(({ role }) => role === 'system').map(textIn);
  const input = messages.flatMap((message) => itemsOf(message, context));
  return { ...(system.length > 0 ? { instructions: system.join('\n\n') } : {}), input };
}

function itemsOf(message: ChatMessage, { model, asWritten }: TranslationContext): ResponseInputItem[] {
  const { role, content } = message;
  if (role === 'system') return [];
  if (role === 'user') return [{ role, content: typeof content === 'string' ? content : partsOf(content, model) }];
  if (role === 'tool') return [toolOutput(message, model)];
  const written = asWritten?.get(message);
  // The items that `readResponse` kept.
  return Array.isArray(written) ? written : assistantItems(message);
}

function assistantItems(message: ChatMessage): ResponseInputItem[] {
  const text = textIn(message);
  const calls = (message.tool_calls ?? []).map(legalToolCall).map(({ id, function: { name, arguments: args } }) => {
    return { type: 'function_call', call_id: id, name, arguments: args } as const;
  });
  if (text.trim() !== '') return [{ role: 'assistant', content: text }, ...calls];
  return calls.length > 0 ? calls : [{ role: 'assistant', content: NO_ANSWER }];
}

function toolOutput({ content, tool_call_id: id }: ChatMessage, model: string): ResponseInputItem {
  const text = textIn({ content });
  const hasMedia = typeof content !== 'string' && content?.some(({ type }) => type !== 'text');
  return {
    type: 'function_call_output',
    call_id: id ?? '',
    output: hasMedia ? partsOf(content, model) : text.trim() === '' ? NO_CONTENT : text,
  };
}

function partsOf(parts: ChatMessage['content'], model: string): (ResponseInputText | ResponseInputImage)[] {
  if (typeof parts === 'string') return [{ type: 'input_text', text: parts }];
  return filledParts(parts).map((part) => partOf(part, model));
}

function partOf(part: ContentPart, model: string): ResponseInputText | ResponseInputImage {
  const { type, text = '', url = '' } = part;
  if (type === 'text') return { type: 'input_text', text };
  if (type === 'image') return { type: 'input_image', image_url: url, detail: 'auto' };
  throw unsupportedMedia(part, model, 'openai-responses');
}
