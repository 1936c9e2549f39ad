import type { RequestMessage, ChatRequest } from '../chat/chat-request.ts';
import { type Item, itemsOf, type Part, type ResponsesRequest } from './responses-request.ts';

/** The same request as a chat request, from which answers are made. */
export function toChatRequest(request: ResponsesRequest): ChatRequest {
  const { model, input, instructions, tools, tool_choice: choice, max_output_tokens: most, text } = request;
  const messages: RequestMessage[] = instructions ? [{ role: 'system', content: instructions }] : [];
  for (const item of itemsOf(input)) addItem(messages, item);
  return {
    model,
    messages,
    ...(most == null ? {} : { max_completion_tokens: most }),
    tools: tools?.map(({ name, description = '', parameters }) => ({
      type: 'function' as const,
      function: { name, description, parameters },
    })),
    tool_choice: typeof choice === 'object' && choice !== null ? { function: { name: choice.name } } : choice,
    ...(text?.format ? { response_format: toResponseFormat(text.format) } : {}),
  };
}

function toResponseFormat(format: NonNullable<NonNullable<ResponsesRequest['text']>['format']>) {
  if (format.type !== 'json_schema') return format;
  const { type, ...asked } = format;
  return { type, json_schema: asked };
}

/** The calls of one turn belong to one message; reasoning is part of none. */
function addItem(messages: RequestMessage[], item: Item): void {
  const { type = 'message', role = 'user', content = '', call_id: id = '', output = '' } = item;
  if (type === 'message') messages.push({ role, content: toChatContent(content) });
  if (type === 'function_call_output') messages.push({ role: 'tool', tool_call_id: id, content: textOf(output) });
  if (type !== 'function_call') return;
  const call = { id, type, function: { name: item.name ?? '', arguments: item.arguments ?? '' } };
  const last = messages.at(-1);
  if (last?.role !== 'assistant') messages.push({ role: 'assistant', content: null, tool_calls: [toCall(call)] });
  else messages[messages.length - 1] = { ...last, tool_calls: [...(last.tool_calls ?? []), toCall(call)] };
}

function toCall({ id, function: called }: { id: string; function: { name: string; arguments: string } }) {
  return { id, type: 'function' as const, function: called };
}

function toChatContent(content: string | readonly Part[]): string | Part[] {
  if (typeof content === 'string') return content;
  return content.map(({ type, text }) => (text === undefined ? { type } : { type: 'text', text }));
}

function textOf(output: string | readonly Part[]): string {
  return typeof output === 'string' ? output : output.flatMap(({ text }) => text ?? []).join('\n');
}
