import { expect, test } from 'vitest';
import { readCompletion } from './read-completion.ts';

const at = { row: 7, column: 'a', call: 2 };
const read = (message: object, more: object = {}) => readCompletion({ choices: [{ message }], ...more }, 'm', at);

test.each([
  [{ content: 'a' }, 'a'],
  [{ content: null }, null],
  [{}, null],
  [{ content: [{ type: 'text', text: 'a' }, { type: 'image_url' }, { type: 'text', text: 'b' }] }, 'ab'],
])('reads the text of %j', (message, content) => {
  expect(read(message).message).toEqual({ role: 'assistant', content });
});

test.each([
  [{ content: 'a', reasoning: 'r' }, 'r', 'a'],
  [{ content: 'a', reasoning_content: 'r' }, 'r', 'a'],
  [{ content: 'a', reasoning: '', reasoning_content: 'r' }, 'r', 'a'],
  [{ content: 'a', reasoning: null }, undefined, 'a'],
  [{ content: 'a', thinking: 'r' }, 'r', 'a'],
  [
    {
      content: 'a',
      reasoning_details: [
        { type: 'reasoning.text', text: 'r' },
        { type: 'reasoning.encrypted', data: 'x' },
      ],
    },
    'r',
    'a',
  ],
  [{ content: 'a', reasoning_details: [{ type: 'reasoning.summary', summary: 'r' }] }, 'r', 'a'],
  [
    {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'r' }] },
        { type: 'text', text: 'a' },
      ],
    },
    'r',
    'a',
  ],
  [
    {
      content: [
        { type: 'thinking', thinking: 'r' },
        { type: 'text', text: 'a ' },
        { type: 'text', text: 'b' },
      ],
    },
    'r',
    'a b',
  ],
  [
    {
      content: [
        { type: 'reasoning', text: 'r' },
        { type: 'text', text: 'a' },
      ],
    },
    'r',
    'a',
  ],
])('reads the reasoning of %j', (message, reasoning, content) => {
  expect(read(message).message).toEqual({
    role: 'assistant',
    content,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
  });
});

test('tool calls keep their arguments, a missing id is derived from the position, and objects become text', () => {
  const { message } = read({
    content: null,
    tool_calls: [
      { id: 'x', function: { name: 'f', arguments: '{"a": 1 }' } },
      { id: null, function: { name: 'g', arguments: { b: 2 } } },
      { function: { name: 'h' } },
    ],
  });
  expect(message.tool_calls).toEqual([
    { id: 'x', type: 'function', function: { name: 'f', arguments: '{"a": 1 }' } },
    { id: 'call_7_2_1', type: 'function', function: { name: 'g', arguments: '{"b":2}' } },
    { id: 'call_7_2_2', type: 'function', function: { name: 'h', arguments: '' } },
  ]);
});

test.each([null, 'find()', {}, 5, [], [null, 'x', 5]])('the list of calls %j holds no calls', (calls) => {
  expect(read({ content: 'a', tool_calls: calls }).message).toEqual({ role: 'assistant', content: 'a' });
});

test('malformed tool calls are passed on with text in every field', () => {
  const calls = [null, { id: 4, function: { name: 5, arguments: 6 } }, { function: 'f' }, {}];
  expect(read({ content: null, tool_calls: calls }).message.tool_calls).toEqual([
    { id: '4', type: 'function', function: { name: '5', arguments: '6' } },
    { id: 'call_7_2_1', type: 'function', function: { name: '', arguments: '' } },
    { id: 'call_7_2_2', type: 'function', function: { name: '', arguments: '' } },
  ]);
});

test.each([
  ['<html>', /not a JSON object/],
  [null, /not a JSON object/],
  [{ choices: [] }, /contains no choices/],
  [{ choices: null }, /contains no choices/],
  [{ error: { message: 'upstream is down', code: 502 } }, /upstream is down/],
  [{ choices: [{ message: { content: '' }, error: { message: 'gone' }, finish_reason: 'error' }] }, /error: gone/],
])('the body %j is rejected', (body, said) => {
  expect(() => readCompletion(body, 'm', at)).toThrow(said);
});

test.each([
  [{ message: { content: null, refusal: 'I cannot help with that.' } }, /it is a refusal: I cannot help with that\.$/],
  [{ message: { content: '', refusal: 'No.' }, finish_reason: 'stop' }, /it is a refusal: No\.$/],
  [{ message: { content: '' }, finish_reason: 'content_filter' }, /a content filter blocked the text/],
  [{ finish_reason: 'content_filter' }, /a content filter blocked the text/],
])('a model that refuses to answer fails with its words: %j', (choice, said) => {
  expect(() => readCompletion({ choices: [choice] }, 'm', at)).toThrow(said);
});

test('text next to a refusal, text cut off by a filter, and an empty text are answers', () => {
  expect(read({ content: 'a', refusal: 'No.' }).message.content).toBe('a');
  expect(read({ content: 'a', refusal: null }).message.content).toBe('a');
  const cut = readCompletion({ choices: [{ message: { content: 'a' }, finish_reason: 'content_filter' }] }, 'm', at);
  expect(cut).toMatchObject({ message: { content: 'a' }, finishReason: 'content_filter' });
  expect(read({ content: '' }).message.content).toBe('');
  const calls = [{ id: 'x', function: { name: 'f', arguments: '{}' } }];
  expect(read({ content: null, refusal: 'No.', tool_calls: calls }).message.tool_calls).toHaveLength(1);
});

test('malformed content parts and reasoning are ignored', () => {
  const odd = { content: [null, 'a', { text: 1 }, { text: 'b' }], reasoning: { effort: 1 }, reasoning_content: 'r' };
  expect(read(odd).message).toEqual({ role: 'assistant', content: 'b', reasoning_content: 'r' });
});
