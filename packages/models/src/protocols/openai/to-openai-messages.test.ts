import { expect, test } from 'vitest';
import type { ChatMessage } from '@data-designer/core';
import { toOpenAIMessages, toOpenAIRecord } from './to-openai-messages.ts';

const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const call = (id: string) => ({ id, type: 'function' as const, function: { name: 'map', arguments: '{}' } });

test('text messages are passed on without a copy', () => {
  const messages: ChatMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: null, tool_calls: [call('a')], reasoning_content: 'hm' },
    { role: 'tool', content: 'x', tool_call_id: 'a' },
    { role: 'assistant', content: 'Hi', reasoning_content: 'hm' },
  ];
  expect(toOpenAIMessages(messages)).toBe(messages);
});

test.each(['', ' \n', [], [{ type: 'text', text: '' } as const]])(
  'a tool result of %j is said to be empty',
  (content) => {
    const messages: ChatMessage[] = [{ role: 'tool', content, tool_call_id: 'a' }];
    expect(toOpenAIMessages(messages)).toEqual([{ role: 'tool', content: '(no content)', tool_call_id: 'a' }]);
  },
);

test.each([
  [
    { type: 'image', url: 'https://a.example/b.png' },
    { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
  ],
  [
    { type: 'image', media_type: 'image/png', url: PNG },
    { type: 'image_url', image_url: { url: PNG } },
  ],
  [
    { type: 'audio', url: 'https://a.example/b.mp3' },
    { type: 'audio_url', audio_url: { url: 'https://a.example/b.mp3' } },
  ],
  [
    { type: 'audio', url: 'data:audio/mpeg;base64,AAAA' },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
  ],
  [
    { type: 'audio', url: 'data:audio/x-wav;base64,AAAA' },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  ],
  [
    { type: 'video', url: 'data:video/mp4;base64,AAAA' },
    { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } },
  ],
] as const)('the part %j is sent before the text', (part, written) => {
  const content = [part, { type: 'text', text: 'What is it?' }] as const;
  expect(toOpenAIMessages([{ role: 'user', content }])).toEqual([
    { role: 'user', content: [written, { type: 'text', text: 'What is it?' }] },
  ]);
});

test('an empty answer is sent as "(no answer)", since servers reject an empty one', () => {
  const messages: ChatMessage[] = [
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: '' },
    { role: 'user', content: 'There is nothing in it.' },
  ];
  expect(toOpenAIMessages(messages)[1]).toEqual({ role: 'assistant', content: '(no answer)' });
});

test('a record has empty texts, names and arguments as they are stored', () => {
  const named = { id: 'a', type: 'function', function: { name: 'look up', arguments: '{"a":' } } as const;
  const messages: ChatMessage[] = [
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: null, tool_calls: [named] },
    { role: 'tool', content: '', tool_call_id: 'a' },
    { role: 'assistant', content: '' },
  ];
  expect(toOpenAIRecord(messages)).toEqual(messages);
  const image = { type: 'image', url: PNG } as const;
  const shown: ChatMessage[] = [
    { role: 'user', content: [image] },
    ...messages.slice(1),
    { role: 'assistant', content: [] },
  ];
  expect(toOpenAIRecord(shown)).toEqual([
    { role: 'user', content: [{ type: 'image_url', image_url: { url: PNG } }] },
    ...messages.slice(1),
    { role: 'assistant', content: [] },
  ]);
});

test('images in tool results follow in a user message, after all tool results of the turn', () => {
  const image = { type: 'image', media_type: 'image/png', url: PNG } as const;
  const messages: ChatMessage[] = [
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: null, tool_calls: [call('a'), call('b'), call('c')] },
    { role: 'tool', content: [{ type: 'text', text: 'a map:' }, image], tool_call_id: 'a' },
    { role: 'tool', content: [image], tool_call_id: 'b' },
    { role: 'tool', content: 'no map', tool_call_id: 'c' },
    { role: 'assistant', content: 'Fine' },
  ];
  const shown = { type: 'image_url', image_url: { url: PNG } };
  expect(toOpenAIMessages(messages).slice(2)).toEqual([
    { role: 'tool', content: 'a map:', tool_call_id: 'a' },
    { role: 'tool', content: 'What it gave is shown below.', tool_call_id: 'b' },
    { role: 'tool', content: 'no map', tool_call_id: 'c' },
    { role: 'user', content: [{ type: 'text', text: expect.any(String) as string }, shown, shown] },
    { role: 'assistant', content: 'Fine' },
  ]);
});

const said = (words: string) => ({ type: 'text', text: words }) as const;

test('text, sound and images after the first medium of a tool result keep their order', () => {
  const image = { type: 'image', media_type: 'image/png', url: PNG } as const;
  const sound = { type: 'audio', media_type: 'audio/mpeg', url: 'data:audio/mpeg;base64,AAAA' } as const;
  const messages: ChatMessage[] = [
    { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
    { role: 'tool', content: [said('first:'), image, said('second:'), sound, said('')], tool_call_id: 'a' },
    { role: 'tool', content: [image, said('a caption')], tool_call_id: 'b' },
  ];
  const shown = { type: 'image_url', image_url: { url: PNG } };
  const heard = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } };
  expect(toOpenAIMessages(messages).slice(1)).toEqual([
    { role: 'tool', content: 'first:', tool_call_id: 'a' },
    { role: 'tool', content: 'What it gave is shown below.', tool_call_id: 'b' },
    {
      role: 'user',
      content: [said(expect.any(String) as string), shown, said('second:'), heard, shown, said('a caption')],
    },
  ]);
});

const made = (id: string, name: string, text: string) =>
  ({ id, type: 'function', function: { name, arguments: text } }) as const;

test('tool calls that servers would reject are repaired, and the others keep their bytes', () => {
  const good = { id: 'a', type: 'function', function: { name: 'map', arguments: '{"n": 1 }' } } as const;
  const calls = [good, made('b', 'map', '{"n":'), made('c', 'look up!', '[]'), made('d', '', '')];
  const message: ChatMessage = { role: 'assistant', content: '', tool_calls: calls, reasoning_content: 'hm' };
  const results = calls.map(({ id }): ChatMessage => ({ role: 'tool', content: 'x', tool_call_id: id }));
  const [, written, ...others] = toOpenAIMessages([{ role: 'user', content: 'Go' }, message, ...results]);
  expect(JSON.stringify(written)).toBe(
    JSON.stringify({
      ...message,
      tool_calls: [good, made('b', 'map', '{}'), made('c', 'look_up_', '{}'), made('d', 'unknown', '{}')],
    }),
  );
  expect(others).toEqual(results);
  expect(message.tool_calls).toBe(calls);
});
