import { expect, test } from 'vitest';
import { TRACE_MESSAGE, type TraceContentPart, type Message } from '@data-designer/core';
import { toChat } from './to-chat.ts';

function message(role: Message['role'], given: Partial<Message> = {}): Message {
  const nothing = Object.fromEntries(TRACE_MESSAGE.struct.map(({ name }) => [name, null]));
  return { ...nothing, role, ...given } as unknown as Message;
}

const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a": 1 }' } } as const;
const NO_TOOLS = { tools: [] };
const corrected = [
  message('user', { content: 'a question' }),
  message('assistant', { content: 'wrong' }),
  message('user', { content: 'that is no JSON' }),
  message('assistant', { content: 'right', reasoning_content: 'I see' }),
];

test('a corrected answer and its correction are left out unless requested', () => {
  expect(toChat(corrected, NO_TOOLS)?.messages).toEqual([
    { role: 'user', content: 'a question' },
    { role: 'assistant', content: 'right' },
  ]);
  expect(toChat(corrected, NO_TOOLS, { corrections: true })?.messages).toHaveLength(4);
});

test('reasoning is exported on request', () => {
  expect(toChat(corrected, NO_TOOLS, { reasoning: true })?.messages.at(-1)).toEqual({
    role: 'assistant',
    content: 'right',
    reasoning_content: 'I see',
  });
});

test('arguments stay as the model wrote them', () => {
  const chat = toChat(
    [
      message('user', { content: 'a question' }),
      message('assistant', { tool_calls: [call] }),
      message('tool', { content: 'found', tool_call_id: 'c1' }),
      message('assistant', { content: 'an answer' }),
    ],
    NO_TOOLS,
  );
  expect(chat?.messages[1]).toEqual({ role: 'assistant', content: null, tool_calls: [call] });
});

test('media of a tool result follow in a user message, as in requests', () => {
  const parts: TraceContentPart[] = [
    { type: 'text', text: 'a picture', media_type: null, url: null },
    { type: 'image', text: null, media_type: null, url: 'data:image/png;base64,AAAA' },
  ];
  const chat = toChat(
    [
      message('user', { content: 'a question' }),
      message('assistant', { tool_calls: [call] }),
      message('tool', { content_parts: parts, tool_call_id: 'c1' }),
      message('assistant', { content: 'an answer' }),
    ],
    NO_TOOLS,
  );
  expect(chat?.messages).toHaveLength(5);
  expect(chat?.messages[2]).toEqual({ role: 'tool', content: 'a picture', tool_call_id: 'c1' });
  expect(chat?.messages[3]).toMatchObject({ role: 'user', content: [{ type: 'text' }, { type: 'image_url' }] });
});

test.each([
  ['nothing', null],
  ['no message', []],
  ['a question alone', [message('user', { content: 'a question' })]],
  ['a call without its result', [message('assistant', { tool_calls: [call] })]],
])('%s gives no chat', (_, trace) => {
  expect(toChat(trace, NO_TOOLS)).toBeUndefined();
});

test('stored fields that are never sent are not exported', () => {
  const usage = { input_tokens: 1, cached_input_tokens: null, output_tokens: 2, reasoning_tokens: null };
  const stored = { model: 'm-1', usage, finish_reason: 'stop' };
  const trace = corrected.map((one) => (one.role === 'assistant' ? { ...one, ...stored } : one));
  const options = { reasoning: true, corrections: true };
  expect(toChat(trace, NO_TOOLS, options)).toEqual(toChat(corrected, NO_TOOLS, options));
});
