import type { ChatRequest, RequestMessage } from '../chat/chat-request.ts';
import { type Block, blocksOf, type Message, type MessagesRequest } from './messages-request.ts';

/** The same request as a chat request, from which answers are made. */
export function toChatRequest(request: MessagesRequest): ChatRequest {
  const { model, max_tokens, messages, system, tools, tool_choice: choice } = request;
  const first: RequestMessage[] = system === undefined ? [] : [{ role: 'system', content: textOf(blocksOf(system)) }];
  return {
    model,
    max_tokens,
    messages: [...first, ...messages.flatMap(toChatMessages)],
    tools: tools?.map(({ name, description = '', input_schema: parameters }) => ({
      type: 'function' as const,
      function: { name, description, parameters },
    })),
    tool_choice: choice && toChatChoice(choice),
  };
}

function toChatMessages({ role, content }: Message): RequestMessage[] {
  const blocks = blocksOf(content);
  if (role === 'assistant') return [toAssistant(blocks)];
  const results = blocks.filter(({ type }) => type === 'tool_result').map(toToolMessage);
  const said = blocks.filter(({ type }) => type !== 'tool_result');
  const parts = said.map(({ type, text }) => (type === 'text' ? { type, text: text ?? '' } : { type }));
  return parts.length > 0 ? [...results, { role: 'user', content: parts }] : results;
}

function toAssistant(blocks: readonly Block[]): RequestMessage {
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id = '', name = '', input }) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: JSON.stringify(input) },
    }));
  return { role: 'assistant', content: textOf(blocks), ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

function toToolMessage({ tool_use_id: id = '', content = '' }: Block): RequestMessage {
  return { role: 'tool', tool_call_id: id, content: textOf(blocksOf(content)) };
}

function toChatChoice({ type, name = '' }: NonNullable<MessagesRequest['tool_choice']>): ChatRequest['tool_choice'] {
  if (type === 'any') return 'required';
  return type === 'tool' ? { function: { name } } : type;
}

function textOf(blocks: readonly Block[]): string {
  return blocks.flatMap(({ type, text }) => (type === 'text' ? [text ?? ''] : [])).join('\n');
}
