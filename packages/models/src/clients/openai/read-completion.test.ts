import { expect, test } from 'vitest';
import { readCompletion } from './read-completion.ts';

const at = { row: 7, column: 'a', call: 2 };
const read = (message: object, more: object = {}) => readCompletion({ choices: [{ message }], ...more }, 'm', at);

test.each([
  [{ content: 'a' }, 'a'],
  [{ content: null }, null],
  [{}, null],
  [{ content: [{ type: 'text', text: 'a' }, { type: 'image_url' }, { type: 'text', text: 'b' }] }, 'a\nb'],
])('the text of %j', (message, content) => {
  expect(read(message).message).toEqual({ role: 'assistant', content });
});

test.each([
  [{ content: 'a', reasoning: 'r' }, 'r', 'a'],
  [{ content: 'a', reasoning_content: 'r' }, 'r', 'a'],
  [{ content: 'a', reasoning: '', reasoning_content: 'r' }, 'r', 'a'],
  [{ content: 'a', reasoning: null }, undefined, 'a'],
])('the reasoning of %j', (message, reasoning, content) => {
  expect(read(message).message).toEqual({
    role: 'assistant',
    content,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
  });
});

test('calls keep their words; one without an id is given the one of its place, objects become text', () => {
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

test.each([
  [
    { prompt_tokens: 3, completion_tokens: 4 },
    { input: 3, cachedInput: null, output: 4, reasoning: null },
  ],
  [
    { input_tokens: 3, output_tokens: 4 },
    { input: 3, cachedInput: null, output: 4, reasoning: null },
  ],
  [
    {
      prompt_tokens: 3,
      completion_tokens: 4,
      prompt_tokens_details: { cached_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 1 },
    },
    { input: 3, cachedInput: 2, output: 4, reasoning: 1 },
  ],
  [
    { output_tokens: 4, output_tokens_details: { reasoning_tokens: 1 } },
    { input: null, cachedInput: null, output: 4, reasoning: 1 },
  ],
  [null, { input: null, cachedInput: null, output: null, reasoning: null }],
])('the tokens of %j', (usage, tokens) => {
  expect(read({ content: 'a' }, { usage }).tokens).toEqual(tokens);
});

test.each([
  ['<html>', /not a JSON object/],
  [null, /not a JSON object/],
  [{ choices: [] }, /holds no choices/],
  [{ error: { message: 'upstream is down', code: 502 } }, /upstream is down/],
])('%j is no answer', (body, said) => {
  expect(() => readCompletion(body, 'm', at)).toThrow(said);
});
