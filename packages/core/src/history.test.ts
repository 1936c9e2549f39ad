import { expect, test } from 'vitest';
import { readHistory } from './history.ts';
import type { ChatMessage } from './message.ts';
import { traceCell } from './trace-message.ts';

const call = (id: string | null, name = 'find', args: unknown = '{"q":1}') => ({
  id,
  function: { name, arguments: args },
});
const user = { role: 'user', content: 'Hi' };
const source = { column: 'chat' };
const read = (value: unknown) => readHistory(value, source);

test('a trace becomes the messages of a request, without reasoning and fields of answers', () => {
  const stored = {
    role: 'assistant',
    content: null,
    reasoning_content: 'hm',
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'find', arguments: '{"q":1.0}' } }],
    tool_call_id: null,
    content_parts: null,
    model: 'm',
    usage: null,
    finish_reason: 'tool_calls',
    extra: '{"provider":"p"}',
  };
  const result = { role: 'tool', content: 'found', tool_call_id: 'a', tool_calls: null };
  expect(read([user, stored, result])).toEqual([
    user,
    { role: 'assistant', content: null, tool_calls: stored.tool_calls },
    { role: 'tool', content: 'found', tool_call_id: 'a' },
  ]);
});

test('further fields of an answer stay only in a trace that this run has made', () => {
  const answer = { role: 'assistant', content: 'A' } as const;
  const made = traceCell([{ role: 'user', content: 'Hi' }, answer], { answers: new Map([[answer, { extra: '{}' }]]) });
  expect(read(made)[1]).toEqual({ ...answer, extra: '{}' });
  expect(read(structuredClone(made))[1]).toEqual(answer);
});

function talkOf(messages: readonly (readonly [ChatMessage['role'], string])[], column?: string) {
  const history = { column, messages: column === undefined ? 0 : 1 };
  return traceCell(
    messages.map(([role, content]) => ({ role, content })),
    { answers: new Map(), history },
  );
}

test('a trace that continues a column brings the messages of that column, and its own system message', () => {
  const row = {
    first: talkOf([
      ['system', 'old'],
      ['user', '1'],
      ['assistant', '2'],
    ]),
    second: talkOf(
      [
        ['user', '3'],
        ['assistant', '4'],
      ],
      'first',
    ),
    third: talkOf(
      [
        ['system', 'new'],
        ['user', '5'],
        ['assistant', '6'],
      ],
      'second',
    ),
    lost: talkOf(
      [
        ['user', '3'],
        ['assistant', '4'],
      ],
      'nowhere',
    ),
    endless: talkOf(
      [
        ['user', '3'],
        ['assistant', '4'],
      ],
      'endless',
    ),
  };
  const contents = (name: keyof typeof row) =>
    readHistory(row[name], { column: name, row }).map(({ content }) => content);
  expect(contents('second')).toEqual(['old', '1', '2', '3', '4']);
  expect(contents('third')).toEqual(['new', '1', '2', '3', '4', '5', '6']);
  expect(() => contents('lost')).toThrow(
    /message 0 .* it continues the column 'nowhere', which has no messages in this row/,
  );
  expect(() => contents('endless')).toThrow(/it continues the column 'endless'/);
});

test('JSON text, null and an empty list are histories', () => {
  expect(read(JSON.stringify([user]))).toEqual([user]);
  expect([read(null), read(undefined), read([])]).toEqual([[], [], []]);
});

test.each([
  [
    'system messages at the start are joined',
    [{ role: 'system', content: 'a' }, { role: 'developer', content: 'b' }, user],
    [{ role: 'system', content: 'a\n\nb' }, user],
  ],
  ['an empty answer at the end is left out', [user, { role: 'assistant', content: ' ' }], [user]],
  [
    'calls and results without ids get one',
    [
      user,
      { role: 'assistant', tool_calls: [call(null), call(null, 'look', { b: 2 })] },
      { role: 'tool', content: '1' },
      { role: 'tool', content: '2' },
    ],
    [
      user,
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { type: 'function', ...call('call_1_0') },
          { type: 'function', ...call('call_1_1', 'look', '{"b":2}') },
        ],
      },
      { role: 'tool', content: '1', tool_call_id: 'call_1_0' },
      { role: 'tool', content: '2', tool_call_id: 'call_1_1' },
    ],
  ],
  [
    'parts as chat completions write them',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
        ],
      },
    ],
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', url: 'https://a.example/b.png' },
          { type: 'audio', url: 'data:audio/mp3;base64,AAAA' },
        ],
      },
    ],
  ],
  [
    'parts of text become one text',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a ' },
          { type: 'output_text', text: 'b' },
        ],
      },
    ],
    [{ role: 'user', content: 'a b' }],
  ],
])('%s', (_, messages, expected) => {
  expect(read(messages)).toEqual(expected);
});

test.each([
  ['a text', "The history 'chat' cannot be sent to a model: it is not a list of messages. Correct the messages."],
  [[5], /message 0 \(from 0\) is unusable: it is not an object with role and content/],
  [[{ content: 'x' }], /message 0 .*it has no role/],
  [[{ role: 'human', content: 'x' }], /its role 'human' is none of system, user, assistant and tool/],
  [[{ role: 'user', content: 5 }], /its content is neither text nor a list of parts/],
  [[{ role: 'user', content: [{ type: 'smell' }] }], /a part of the type 'smell'/],
  [
    [
      { role: 'user', content: ' ' },
      { role: 'assistant', content: 'a' },
    ],
    /message 0 .*it is an empty message of the user/,
  ],
  [[user, { role: 'assistant', content: '' }, user], /message 1 .*it is an empty message of the assistant/],
  [[user, { role: 'system', content: 'x' }], /message 1 .*it is a system message behind other messages/],
  [
    [user, { role: 'tool', content: 'x', tool_call_id: 'a' }],
    /message 1 .*it is the result of a tool call that is not there \(a\)/,
  ],
  [
    [user, { role: 'assistant', tool_calls: [call('a')] }, user],
    /message 2 .*the tool call 'find' before it has no result/,
  ],
  [[user, { role: 'assistant', tool_calls: [call('a')] }], /message 1 .*the tool call 'find' has no result/],
  [[user, { role: 'assistant', tool_calls: [{ id: 'a' }] }], /message 1 .*a tool call without a name/],
  [[{ ...user, tool_calls: [call('a')] }], /message 0 .*it has tool calls, but its role is user/],
  [
    [
      user,
      { role: 'assistant', tool_calls: [call('a')] },
      { role: 'tool', content: 'x', tool_call_id: 'a' },
      { role: 'tool', content: 'x', tool_call_id: 'a' },
    ],
    /message 3 .*is not there \(a\)/,
  ],
])('no model accepts %j', (value, said) => {
  expect(() => read(value)).toThrow(said);
});

test.each([
  [[], /it has no message to answer, and the prompt is empty/],
  [null, /it has no message to answer/],
  [[user, { role: 'assistant', content: 'A' }], /it ends with an answer, and the prompt is empty/],
])('without a prompt, a message of the user must be there to answer: %j', (value, said) => {
  expect(() => readHistory(value, { ...source, isAnswered: true })).toThrow(said);
  expect(read(value)).toHaveLength(value?.length ?? 0);
});
