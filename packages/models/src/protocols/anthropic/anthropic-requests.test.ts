import { expect, test } from 'vitest';
import { type ChatMessage, stringifyJson } from '@data-designer/core';
import { CannedGateway, outcome, planned } from '../../../test/canned-gateway.ts';
import type { AnswerUsage } from '../../model-client.ts';
import { openClient } from '../../open-client.ts';
import { readAnthropicAnswer } from './read-anthropic-answer.ts';
import { toAnthropicMessages } from './to-anthropic-messages.ts';

const at = { row: 1, column: 'a', call: 0 };
const call = (id: string, text: string) => ({
  id,
  type: 'function' as const,
  function: { name: 'find', arguments: text },
});
const use = (id: string, input: object) => ({ type: 'tool_use', id, name: 'find', input });
const result = (id: string, content: unknown) => ({ type: 'tool_result', tool_use_id: id, content });
const clientOf = (gateway: CannedGateway) => openClient(gateway, planned({ protocol: 'anthropic' }));
const messagesOf = (...messages: ChatMessage[]) => toAnthropicMessages(messages, { model: 'm' });

const ANSWER = outcome({
  content: [{ type: 'text', text: 'ok' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1 },
});

async function bodyOf(parameters: Record<string, unknown>): Promise<unknown> {
  const gateway = new CannedGateway(ANSWER);
  const client = clientOf(gateway);
  await client.chat({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], parameters, timeoutMs: 9 }, at);
  expect(gateway.calls[0]).toMatchObject({ resource: 'model/p/m', path: 'messages', timeoutMs: 9, ...at });
  return gateway.bodies[0];
}

test('parameters get the names of the protocol, and unsupported ones are omitted', async () => {
  const messages = [{ role: 'user', content: 'Hi' }];
  expect(await bodyOf({})).toEqual({ model: 'm', messages, max_tokens: 4096 });
  const parameters = {
    max_tokens: 9,
    temperature: 0.5,
    stop: 'x',
    seed: 1,
    n: 2,
    response_format: {},
    presence_penalty: 1,
  };
  const expected = { model: 'm', messages, max_tokens: 9, temperature: 0.5, stop_sequences: ['x'] };
  expect(await bodyOf({ ...parameters, frequency_penalty: 1 })).toEqual(expected);
  expect(await bodyOf({ ...parameters, stop: ['x', 'y'], thinking: { type: 'enabled' } })).toEqual({
    ...expected,
    stop_sequences: ['x', 'y'],
    thinking: { type: 'enabled' },
  });
});

test('system texts go into `system`, and tools have an input_schema', async () => {
  const gateway = new CannedGateway(ANSWER);
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
  ] as const;
  const parameters = { type: 'object', properties: {} };
  const tools = [{ type: 'function', function: { name: 'find', description: 'Finds.', parameters } }] as const;
  await clientOf(gateway).chat({ model: 'm', messages, tools, parameters: {}, timeoutMs: 9 }, at);
  expect(gateway.bodies[0]).toMatchObject({
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ name: 'find', description: 'Finds.', input_schema: parameters }],
  });
});

test('tool calls become tool_use with an object, and the results of a turn one message', () => {
  const { messages } = messagesOf(
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: null, tool_calls: [call('a', '{"x":1}'), call('b', '[1]'), call('c', '{broken')] },
    { role: 'tool', content: 'one', tool_call_id: 'a' },
    {
      role: 'tool',
      content: [
        { type: 'text', text: 'two' },
        { type: 'image', url: 'https://a.example/b.png' },
      ],
      tool_call_id: 'b',
    },
    { role: 'tool', content: '', tool_call_id: 'c' },
    { role: 'assistant', content: 'Fine' },
  );
  expect(messages.slice(1)).toEqual([
    { role: 'assistant', content: [use('a', { x: 1 }), use('b', {}), use('c', {})] },
    {
      role: 'user',
      content: [
        result('a', 'one'),
        result('b', [
          { type: 'text', text: 'two' },
          { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
        ]),
        result('c', ''),
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Fine' }] },
  ]);
});

test('the arguments of a sent call keep their digits, and those in a code fence are sent as their object', () => {
  const calls = [call('a', '{"n":12345678901234567890,"x":1.0}'), call('b', '```json\n{"n":1}\n```')];
  const { messages } = messagesOf(
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: null, tool_calls: calls },
  );
  const inputs = ['{"n":12345678901234567890,"x":1.0}', '{"n":1}'];
  expect(inputs.filter((input) => !stringifyJson(messages[1]).includes(`"input":${input}`))).toEqual([]);
});

const named = (name: string) => ({ ...call('a', '{}'), function: { name, arguments: '{}' } });

test('the name of a tool call is made valid for the protocol', () => {
  const message: ChatMessage = { role: 'assistant', content: null, tool_calls: [named('look up!'), named('')] };
  const { messages } = messagesOf({ role: 'user', content: 'Go' }, message);
  expect(messages[1]?.content).toEqual([
    { ...use('a', {}), name: 'look_up_' },
    { ...use('a', {}), name: 'unknown' },
  ]);
});

test('images are sent by URL or as bytes; audio and video are rejected with the reason', () => {
  const content = [
    { type: 'image', url: 'data:image/png;base64,AAAA' },
    { type: 'text', text: '' },
    { type: 'text', text: 'What is it?' },
  ] as const;
  expect(messagesOf({ role: 'user', content }).messages[0]?.content).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    { type: 'text', text: 'What is it?' },
  ]);
  const audio = { role: 'user', content: [{ type: 'audio', url: 'https://a.example/b.mp3' }] } as const;
  expect(() => messagesOf(audio)).toThrow(/Model 'm' cannot accept audio: the protocol of its provider \(anthropic\)/);
  const video = { role: 'user', content: [{ type: 'video', url: 'https://a.example/b.mp4' }] } as const;
  expect(() => messagesOf(video)).toThrow(/cannot accept video/);
});

test('an empty answer is sent as "(no answer)", since a message must not be empty', () => {
  expect(messagesOf({ role: 'assistant', content: '' }).messages[0]?.content).toEqual([
    { type: 'text', text: '(no answer)' },
  ]);
});

async function spentOn(body: string): Promise<AnswerUsage | undefined> {
  let spent: AnswerUsage | undefined;
  const meter = { onOutcome: () => {}, onSpent: (told: AnswerUsage) => (spent = told) };
  const client = clientOf(new CannedGateway(outcome(body)));
  await client.chat({ model: 'm', messages: [], parameters: {}, timeoutMs: 9 }, at, meter);
  return spent;
}

const answerAfter = (...thoughts: object[]) =>
  readAnthropicAnswer({ content: [...thoughts, { type: 'text', text: 'ok' }] }, 'm', at).message;

test('thinking blocks without text are no reasoning', () => {
  const blank = { type: 'thinking', thinking: '', signature: 's' };
  expect(answerAfter(blank, blank)).toEqual({ role: 'assistant', content: 'ok' });
  expect(answerAfter(blank, { ...blank, thinking: 'hm' })).toMatchObject({ reasoning_content: 'hm' });
});

test('an answer yields text, thinking, tool calls and finish reason, and input tokens include cached ones', async () => {
  const content = [
    { type: 'thinking', thinking: 'first', signature: 's1' },
    { type: 'redacted_thinking', data: 'xx' },
    { type: 'thinking', thinking: 'second', signature: 's2' },
    { type: 'text', text: '' },
    { type: 'text', text: 'Let me look.' },
    { type: 'tool_use', id: 'a', name: 'find', input: { x: 1 } },
  ];
  const usage = { input_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 2, output_tokens: 4 };
  expect(readAnthropicAnswer({ content, stop_reason: 'tool_use', usage, model: 'm-9' }, 'm', at)).toEqual({
    message: {
      role: 'assistant',
      content: 'Let me look.',
      reasoning_content: 'first\nsecond',
      tool_calls: [call('a', '{"x":1}')],
    },
    finishReason: 'tool_use',
    model: 'm-9',
    asWritten: content.filter(({ text }) => text !== ''),
    further: [
      { at: 0, type: 'thinking', signature: 's1' },
      { at: 1, type: 'redacted_thinking', data: 'xx' },
      { at: 2, type: 'thinking', signature: 's2' },
    ],
  });
  expect(await spentOn(JSON.stringify({ content, usage }))).toEqual({
    tokens: { input: 10, cachedInput: 3, output: 4, reasoning: null },
    pictures: 0,
  });
  const floats = await spentOn('{"content":[],"usage":{"input_tokens":5.0,"output_tokens":"4"}}');
  expect(floats?.tokens).toMatchObject({ input: 5, output: null });
});

test('malformed content blocks are skipped, and tool calls get unique ids, also when sent back', () => {
  const thinking = { type: 'thinking', thinking: 'hm', signature: 's' };
  const uses = [
    { type: 'tool_use', id: 'a', name: 'find', input: {} },
    { type: 'tool_use', id: 'a', name: 5, input: 'x' },
    { type: 'tool_use' },
  ];
  const content = [null, 'x', { type: 'text', text: 5 }, thinking, ...uses];
  const { message, asWritten } = readAnthropicAnswer({ content }, 'm', at);
  expect(message.tool_calls).toEqual([
    call('a', '{}'),
    { id: 'call_1_0_1', type: 'function', function: { name: '5', arguments: '"x"' } },
    { id: 'call_1_0_2', type: 'function', function: { name: '', arguments: '' } },
  ]);
  expect((asWritten as readonly unknown[]).slice(2)).toEqual([
    uses[0],
    { type: 'tool_use', id: 'call_1_0_1', name: '5', input: {} },
    { type: 'tool_use', id: 'call_1_0_2', name: 'unknown', input: {} },
  ]);
});

test('cut-off thinking is sent back with a text after it, since it must not end a message', () => {
  const thinking = { type: 'thinking', thinking: 'hm', signature: 's' };
  const { asWritten } = readAnthropicAnswer({ content: [thinking], stop_reason: 'max_tokens' }, 'm', at);
  expect(asWritten).toEqual([thinking, { type: 'text', text: '(no answer)' }]);
});

test.each([
  [{ content: [], stop_reason: 'refusal' }, /it is a refusal: no reason given\.$/],
  [{ content: [{ type: 'text', text: 'I will not.' }], stop_reason: 'refusal' }, /it is a refusal: I will not\.$/],
  [
    { content: [], stop_reason: 'refusal', stop_details: { explanation: 'Of weapons.' } },
    /it is a refusal: Of weapons\.$/,
  ],
])('a model that refuses to answer fails with its explanation: %j', (body, said) => {
  expect(() => readAnthropicAnswer(body, 'm', at)).toThrow(said);
});

test('thinking is sent back as written, with its signatures', () => {
  const asWritten = [
    { type: 'thinking', thinking: 'hm', signature: 's' },
    { type: 'text', text: ' ok ' },
  ];
  const message: ChatMessage = { role: 'assistant', content: 'ok', reasoning_content: 'hm' };
  const { messages } = toAnthropicMessages([message], { model: 'm', asWritten: new Map([[message, asWritten]]) });
  expect(messages).toEqual([{ role: 'assistant', content: asWritten }]);
});

test.each([
  ['<html></html>', /not a JSON object/],
  ['{"a":', /not valid JSON/],
  ['{}', /contains no 'content'/],
  ['{"type":"error","error":{"message":"Overloaded"}}', /Overloaded/],
  ['null', /contains no 'content'/],
])('the body %s is rejected', async (body, said) => {
  const client = clientOf(new CannedGateway(outcome(body)));
  const asked = client.chat({ model: 'm', messages: [], parameters: {}, timeoutMs: 9 }, at);
  await expect(asked).rejects.toThrow(said);
});

test('embedding and image requests are rejected', async () => {
  const client = clientOf(new CannedGateway());
  const request = { model: 'm', parameters: {}, timeoutMs: 9 };
  await expect(client.embed({ ...request, texts: ['a'] }, at)).rejects.toThrow(/cannot make vectors/);
  await expect(client.generateImage({ ...request, prompt: 'a', media: [] }, at)).rejects.toThrow(
    /cannot make pictures/,
  );
});
