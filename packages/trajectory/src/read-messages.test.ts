import { expect, test } from 'vitest';
import { readMessages, readTools } from './index.ts';

const plain = { hasMedia: false, calls: [], callId: null, finishReason: null };

test('reads traces, chats with parts, and the JSON text of either', () => {
  const parts = [
    { type: 'image', text: null, url: 'images/a.png' },
    { type: 'text', text: 'What is it?' },
  ];
  const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } };
  const trace = [
    { role: 'user', content: null, content_parts: parts, tool_calls: null },
    { role: 'assistant', content: null, tool_calls: [call], finish_reason: 'tool_calls' },
    { role: 'tool', content: 'cat', tool_call_id: 'c1' },
    { role: 'assistant', content: '<think>A cat.</think>It is a cat.', finish_reason: 'stop' },
  ];
  const messages = readMessages(trace);
  expect(messages).toEqual([
    { ...plain, role: 'user', text: 'What is it?', hasMedia: true },
    {
      ...plain,
      role: 'assistant',
      text: '',
      calls: [{ id: 'c1', name: 'look', arguments: '{}' }],
      finishReason: 'tool_calls',
    },
    { ...plain, role: 'tool', text: 'cat', callId: 'c1' },
    { ...plain, role: 'assistant', text: 'It is a cat.', finishReason: 'stop' },
  ]);
  expect(readMessages(JSON.stringify(trace))).toEqual(messages);
});

test('reads calls whose arguments are an object', () => {
  const [message] = readMessages([{ role: 'assistant', tool_calls: [{ name: 'look', arguments: { at: 1 } }] }]) ?? [];
  expect(message?.calls).toEqual([{ id: null, name: 'look', arguments: '{"at":1}' }]);
});

test.each([null, 'text', 7, {}, ['text'], [{ role: 'critic', content: '' }], [{ content: 'x' }], '[1'])(
  'refuses %j',
  (value) => {
    expect(readMessages(value)).toBeUndefined();
  },
);

test('reads tools of every form', () => {
  const parameters = { type: 'object', properties: { n: { type: 'integer' }, other: null }, required: ['n'] };
  const forms = [
    [{ type: 'function', function: { name: 'f', parameters } }],
    [{ name: 'f', parameters }],
    [{ name: 'f', inputSchema: parameters }],
    [{ name: 'f', input_schema: parameters }],
    [{ name: 'f', parameters: JSON.stringify(parameters) }],
    JSON.stringify([{ name: 'f', parameters }]),
  ];
  for (const form of forms) {
    const tools = readTools(form);
    expect([...(tools?.names ?? [])]).toEqual(['f']);
    expect(tools?.argumentsOf('f')?.({})).toHaveProperty('mistake');
    expect(tools?.argumentsOf('f')?.({ n: 1n })).toHaveProperty('value');
  }
  expect(readTools(['f', 'g'])?.names).toEqual(new Set(['f', 'g']));
  expect(readTools(null)).toBeUndefined();
});
