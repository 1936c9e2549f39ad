import { expect, test } from 'vitest';
import { joinMessageEvents } from './anthropic/join-message-events.ts';
import { joinResponseEvents } from './openai-responses/join-response-events.ts';
import { joinChunks } from './openai/join-chunks.ts';

const delta = (given: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: given, finish_reason: finish }],
});

test('the chunks of a completion are joined: text, reasoning, calls by position, the last usage', () => {
  const call = (index: number, more: object) => delta({ tool_calls: [{ index, ...more }] });
  const chunks = [
    { id: 'x', model: 'm', object: 'chat.completion.chunk', ...delta({ role: 'assistant', content: '' }) },
    delta({ reasoning_content: 'th' }),
    delta({ reasoning_content: 'ink', content: null }),
    delta({ content: 'a' }),
    delta({ content: 'b' }),
    call(0, { id: 'c0', type: 'function', function: { name: 'find', arguments: '' } }),
    call(1, { id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } }),
    call(0, { function: { arguments: '{"q":' } }),
    call(0, { id: '', function: { name: null, arguments: '1}' } }),
    delta({}, 'tool_calls'),
    { choices: [], usage: { completion_tokens: 4 } },
  ];
  expect(joinChunks(chunks, false)).toMatchObject({
    id: 'x',
    model: 'm',
    usage: { completion_tokens: 4 },
    choices: [
      {
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: 'ab',
          reasoning_content: 'think',
          tool_calls: [
            { id: 'c0', function: { name: 'find', arguments: '{"q":1}' } },
            { id: 'c1', function: { name: 'read', arguments: '{}' } },
          ],
        },
      },
    ],
  });
});

test('a stream of chunks that ends early is no answer, and one with an error holds the error', () => {
  expect(joinChunks([delta({ content: 'a' })], false)).toBeUndefined();
  expect(joinChunks([delta({ content: 'a' })], true)).toMatchObject({ choices: [{ message: { content: 'a' } }] });
  expect(joinChunks([delta({ content: 'a' }), { error: { code: 502 } }], true)).toEqual({ error: { code: 502 } });
});

const MESSAGE = [
  { type: 'message_start', message: { id: 'm', content: [], usage: { input_tokens: 3, output_tokens: 1 } } },
  { type: 'ping' },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'so' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'hi' } },
  { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 't', name: 'find', input: {} } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"q"' } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: ':1}' } },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
];

test('the events of a message are joined, and it is none without its last event', () => {
  expect(joinMessageEvents(MESSAGE)).toBeUndefined();
  expect(joinMessageEvents([...MESSAGE, { type: 'message_stop' }])).toEqual({
    id: 'm',
    stop_reason: 'tool_use',
    content: [
      { type: 'thinking', thinking: 'so', signature: 's' },
      { type: 'text', text: 'hi' },
      { type: 'tool_use', id: 't', name: 'find', input: { q: 1 } },
    ],
    usage: { input_tokens: 3, output_tokens: 9 },
  });
  expect(joinMessageEvents([...MESSAGE, { type: 'error', error: { type: 'overloaded_error' } }])).toMatchObject({
    error: { type: 'overloaded_error' },
  });
});

test('the last event of a response holds it, and items told before fill an empty output', () => {
  const item = { type: 'message', content: [] };
  const done = { type: 'response.output_item.done', item };
  expect(joinResponseEvents([done])).toBeUndefined();
  const end = { type: 'response.completed', response: { status: 'completed', output: [] } };
  expect(joinResponseEvents([done, end])).toEqual({ status: 'completed', output: [item] });
  expect(joinResponseEvents([{ type: 'error', code: 'rate_limit_exceeded' }])).toMatchObject({
    error: { code: 'rate_limit_exceeded' },
  });
});
