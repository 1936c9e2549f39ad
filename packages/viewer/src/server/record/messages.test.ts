import { expect, test } from 'vitest';
import type { Pricing } from '@data-designer/core';
import { contentOf, cutMessage, type MessageContext, pricesOf, tracePage } from './messages.ts';

const PRICING: Pricing = { input: 1, cachedInput: 0.5, output: 2, image: null };
const CONTEXT: MessageContext = {
  priceOf: (model) => (model === 'm' ? PRICING : null),
  mediaOf: (part, { message, part: at }) =>
    part['type'] === 'image_url' ? ({ kind: 'image', address: `${message}/${at}`, note: null } as never) : undefined,
};
const page = (trace: readonly unknown[], { from = 0, count = 20, ...more } = {}) =>
  tracePage('chat', trace, { ...CONTEXT, from, count, ...more });

test('a page of a conversation has the messages from a number on, with their numbers', () => {
  const trace = ['a', 'b', 'c', 'd'].map((content) => ({ role: 'user', content }));
  const { column, total, from, messages } = page(trace, { from: 1, count: 2 });
  expect([column, total, from]).toEqual(['chat', 4, 1]);
  expect(messages.map(({ number, content }) => [number, content?.text])).toEqual([
    [1, 'b'],
    [2, 'c'],
  ]);
});

test('a message has its role, its tool calls, its reasoning and its media', () => {
  const call = { id: 'one', function: { name: 'look', arguments: '{"a":1}' } };
  const image = { type: 'image_url', url: 'x.png' };
  const parts = [{ type: 'text', text: 'See' }, image, { type: 'other' }, 'damaged'];
  const [answer, user, tool] = page([
    { role: 'odd', content: null, reasoning_content: 'Why', tool_calls: [call, 'damaged'], finish_reason: 'stop' },
    { role: 'user', content: parts },
    { role: 'tool', content: 'Found', tool_call_id: 'one', content_parts: [image, { type: 'text', text: 'more' }] },
  ]).messages;
  expect(answer).toMatchObject({ role: 'assistant', content: null, finishReason: 'stop', toolCallId: null });
  expect(answer?.reasoning).toEqual({ text: 'Why', length: 3 });
  expect(answer?.toolCalls).toEqual([
    { id: 'one', name: 'look', arguments: { text: '{"a":1}', length: 7 } },
    { id: '', name: '', arguments: { text: '', length: 0 } },
  ]);
  expect(user).toMatchObject({ role: 'user', content: { text: 'See' }, media: [{ address: '1/1' }] });
  expect(tool).toMatchObject({
    role: 'tool',
    toolCallId: 'one',
    content: { text: 'Found' },
    media: [{ address: '2/0' }],
  });
  expect(page([{ role: 'system' }]).messages[0]?.role).toBe('system');
});

const usageOf = (usage: unknown, model = 'm') => page([{ model, usage }]).messages[0]?.usage;

test('the usage of a message has a cost where its tokens and its price are known', () => {
  const tokens = { input_tokens: 2_000_000, output_tokens: 1_000_000, reasoning_tokens: 3 };
  expect(usageOf(tokens)).toEqual({
    inputTokens: 2_000_000,
    cachedInputTokens: null,
    outputTokens: 1_000_000,
    reasoningTokens: 3,
    cost: 4,
  });
  expect(usageOf({ ...tokens, cached_input_tokens: 1_000_000 })?.cost).toBe(3.5);
  expect(usageOf(tokens, 'unknown')?.cost).toBeNull();
  expect(usageOf({ input_tokens: 1 })).toMatchObject({ inputTokens: 1, outputTokens: null, cost: null });
  expect(usageOf({ output_tokens: 1 })?.cost).toBeNull();
  expect(usageOf('none')).toBeNull();
});

test('the price is that of the model of the answer, or of the only one', () => {
  const own = { model: 'm', pricing: PRICING };
  expect(pricesOf({ a: own })('renamed')).toBe(PRICING);
  expect(pricesOf({ a: own, b: { model: 'n', pricing: null } })('renamed')).toBeNull();
  expect(pricesOf({ a: own, b: { model: 'n', pricing: null } })('m')).toBe(PRICING);
  expect(pricesOf({})('m')).toBeNull();
});

test('the text of a message is its content or that of its parts, cut with its length', () => {
  expect(contentOf({ content: 'a', content_parts: [{ text: 'b' }] })).toBe('a');
  expect(contentOf({ content_parts: [{ text: 'b' }, { url: 'x' }, { text: 'c' }] })).toBe('b\nc');
  expect(contentOf({ content: [{ url: 'x' }] })).toBeNull();
  expect([cutMessage(null), cutMessage('abcd', 2)]).toEqual([null, { text: 'ab', length: 4 }]);
  expect(cutMessage('x'.repeat(20_001))).toEqual({ text: 'x'.repeat(20_000), length: 20_001 });
  expect(page([{ content: 'abcd', reasoning_content: 'efgh' }], { characters: 3 } as never).messages[0]).toMatchObject({
    content: { text: 'abc' },
    reasoning: { text: 'efg' },
  });
});
