import { type ChatMessage, type ContentPart, legalToolCall } from '@data-designer/core';
import type {
  ResponseCreateParamsNonStreaming,
  ResponseInputImage,
  ResponseInputItem,
  ResponseInputText,
} from 'openai/resources/responses/responses';
import { unsupported } from '../../answers/model-refusals.ts';
import { NO_ANSWER } from '../no-answer.ts';

/** The model that is asked, and which answers must go back as they were written. */
export interface TranslationContext {
  readonly model: string;
  readonly asWritten?: ReadonlyMap<ChatMessage, unknown> | undefined;
}

/** A conversation as the Responses API takes it; throws `model/unsupported-capability` for sound and video. */
export function toResponsesInput(
  messages: readonly ChatMessage[],
  context: TranslationContext,
): Pick<ResponseCreateParamsNonStreaming, 'instructions' | 'input'> {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => textIn(content));
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
  const text = textIn(message.content);
  const calls = (message.tool_calls ?? []).map(legalToolCall).map(({ id, function: { name, arguments: args } }) => {
    return { type: 'function_call', call_id: id, name, arguments: args } as const;
  });
  if (text.trim() !== '') return [{ role: 'assistant', content: text }, ...calls];
  return calls.length > 0 ? calls : [{ role: 'assistant', content: NO_ANSWER }];
}

function toolOutput({ content, tool_call_id: id }: ChatMessage, model: string): ResponseInputItem {
  const hasMedia = typeof content !== 'string' && content?.some(({ type }) => type !== 'text');
  return {
    type: 'function_call_output',
    call_id: id ?? '',
    output: hasMedia ? partsOf(content, model) : textIn(content),
  };
}

function partsOf(parts: ChatMessage['content'], model: string): (ResponseInputText | ResponseInputImage)[] {
  if (typeof parts === 'string') return [{ type: 'input_text', text: parts }];
  return (parts ?? []).filter(({ type, text }) => type !== 'text' || text).map((part) => partOf(part, model));
}

function partOf({ type, text = '', url = '' }: ContentPart, model: string): ResponseInputText | ResponseInputImage {
  if (type === 'text') return { type: 'input_text', text };
  if (type === 'image') return { type: 'input_image', image_url: url, detail: 'auto' };
  throw unsupported(model, type === 'audio' ? 'be given sound' : 'be shown video', 'openai-responses');
}

function textIn(content: ChatMessage['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap(({ text }) => text ?? []).join('\n');
}
