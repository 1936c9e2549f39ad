import { expect, test } from 'vitest';
import {
  answerFields,
  type ChatMessage,
  hideStored,
  messageFields,
  RECORDED_MESSAGE,
  toChatMessage,
  TRACE_MESSAGE,
  traceCell,
  type Message,
} from '@data-designer/core';

const tokens = { input: 7, cachedInput: null, output: 3, reasoning: null };
const answer: ChatMessage = { role: 'assistant', content: 'Hum.', reasoning_content: 'Bees hum.' };
const stored = answerFields({ model: 'm-1', tokens, finishReason: 'stop', outcome: undefined });
const answers = new Map([[answer, stored]]);
const cell = traceCell([{ role: 'user', content: 'On bees' }, answer], { answers });

test('an assistant message is stored with its model, usage and finish reason, another message without', () => {
  const usage = { input_tokens: 7, cached_input_tokens: null, output_tokens: 3, reasoning_tokens: null };
  expect(cell).toMatchObject([
    { role: 'user', content: 'On bees' },
    { ...answer, model: 'm-1', usage, finish_reason: 'stop' },
  ]);
  expect((cell as readonly object[])[0]).toEqual({ role: 'user', content: 'On bees' });
});

test('usage is null if the answer reports none, and so is a count that is not an integer', () => {
  const none = { input: null, cachedInput: null, output: null, reasoning: null };
  const usageOf = (more: object) => answerFields({ ...FACTS, tokens: { ...none, ...more } }).usage;
  const FACTS = { model: 'm-1', finishReason: null, outcome: undefined };
  expect(usageOf({})).toBeNull();
  expect(usageOf({ input: 1.5 })).toBeNull();
  expect(usageOf({ input: Infinity, output: 0 })).toMatchObject({ input_tokens: null, output_tokens: 0 });
});

test('a recorded conversation has no stored fields of answers, and both kinds of columns hold messages', () => {
  expect(traceCell([answer])).toEqual([answer]);
  expect(messageFields({ list: RECORDED_MESSAGE })).toBe(RECORDED_MESSAGE.struct);
  expect(messageFields({ list: TRACE_MESSAGE })).toBe(TRACE_MESSAGE.struct);
  expect(messageFields({ list: 'utf8' })).toBeUndefined();
});

test('templates find the stored fields of an answer by name and do not print them', () => {
  const [, message] = hideStored(cell, cell) as unknown as readonly Message[];
  expect(message?.usage?.input_tokens).toBe(7);
  expect(JSON.stringify(message)).toBe(JSON.stringify(answer));
  expect(cell).toMatchObject([{}, { model: 'm-1' }]);
  expect(Object.keys((cell as readonly object[])[1]!)).toContain('model');
});

test('the message of a request has the fields of requests alone, in one order', () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } } as const;
  const wide = { ...stored, duration_ms: 5, tool_call_id: null, tool_calls: [call], content_parts: null };
  const message = { ...wide, content: null, reasoning_content: 'Hm.', role: 'assistant' } as unknown as Message;
  const sent = { role: 'assistant', content: null, reasoning_content: 'Hm.', tool_calls: [call] };
  expect(JSON.stringify(toChatMessage(message))).toBe(JSON.stringify(sent));
});

test('a message of several parts comes back from its trace', () => {
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'image', url: 'https://a.example/b.png' },
  ] as const;
  const parts = content.map((part) => ({ text: null, media_type: null, url: null, ...part }));
  const none = Object.fromEntries(TRACE_MESSAGE.struct.map(({ name }) => [name, null]));
  const trace = { ...none, role: 'user', content_parts: parts };
  expect(toChatMessage(trace as unknown as Message)).toEqual({ role: 'user', content });
});
