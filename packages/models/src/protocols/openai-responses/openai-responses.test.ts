import { expect, test } from 'vitest';
import type { ChatMessage } from '@data-designer/core';
import { CannedGateway, outcome, planned } from '../../../test/canned-gateway.ts';
import type { ChatRequest, AnswerUsage } from '../../model-client.ts';
import { openClient } from '../../open-client.ts';
import { nativeShape } from '../../shape/native-shape.ts';
import { openaiResponses } from './openai-responses.ts';
import { readResponse } from './read-response.ts';
import { toResponsesInput } from './to-responses-input.ts';

const at = { row: 1, column: 'a', call: 0 };
const USER: ChatMessage = { role: 'user', content: 'Hi' };
const clientOf = (gateway: CannedGateway) => openClient(gateway, planned({ protocol: 'openai-responses' }));
const inputOf = (...messages: ChatMessage[]) => toResponsesInput(messages, { model: 'm' }).input;
const call = (id: string, name: string, text: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: text },
});

const said = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
const reasoning = (text: string, more: object = {}) => ({
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text }],
  ...more,
});
const ENCRYPTED = { encrypted_content: 'xx' };
const asked = (id: string, name: string, text: string) => ({
  id: `fc_${id}`,
  type: 'function_call',
  call_id: id,
  name,
  arguments: text,
});
const read = (...output: unknown[]) => readResponse({ status: 'completed', model: 'm-2', output }, 'm', at);

async function bodyOf(request: Partial<ChatRequest>): Promise<unknown> {
  const gateway = new CannedGateway(outcome({ status: 'completed', output: [said('ok')] }));
  await clientOf(gateway).chat({ model: 'm', messages: [USER], parameters: {}, timeoutMs: 9, ...request }, at);
  expect(gateway.calls[0]).toMatchObject({ resource: 'model/p/m', path: 'responses', timeoutMs: 9, ...at });
  return gateway.bodies[0];
}

const PLAIN = { model: 'm', input: [{ role: 'user', content: 'Hi' }], store: false };

test('parameters get the names of the protocol, and unsupported ones are omitted', async () => {
  expect(await bodyOf({})).toEqual(PLAIN);
  const own = { temperature: 0.5, top_p: 0.9, metadata: { a: 'b' } };
  const left = { n: 2, stop: 'x', seed: 1, frequency_penalty: 1, presence_penalty: 1, response_format: {} };
  expect(await bodyOf({ parameters: { ...own, ...left, max_tokens: 99 } })).toEqual({
    ...PLAIN,
    ...own,
    max_output_tokens: 99,
  });
  expect(await bodyOf({ parameters: { max_tokens: 99, max_output_tokens: 20, store: true } })).toEqual({
    ...PLAIN,
    max_output_tokens: 20,
    store: true,
  });
});

test.each<[string, Record<string, unknown>, unknown]>([
  ['m', { reasoning_effort: 'low' }, { effort: 'low', summary: 'auto' }],
  ['m', { reasoning: { effort: 'high' } }, { effort: 'high', summary: 'auto' }],
  ['m', { reasoning: { effort: 'high', summary: null } }, { effort: 'high', summary: null }],
  ['o4-mini', {}, undefined],
  ['openai/gpt-5.1', {}, undefined],
])('a request to model %s with %j asks for encrypted reasoning', async (model, parameters, expected) => {
  const body = await bodyOf({ model, parameters });
  expect(body).toMatchObject({ include: ['reasoning.encrypted_content'] });
  expect((body as Partial<Record<string, unknown>>).reasoning).toEqual(expected);
});

test.each(['gpt-4.1', 'gpt-5-chat-latest', 'foo4'])(
  'a request to model %s, which does not reason, asks for no encrypted reasoning',
  async (model) => {
    expect(await bodyOf({ model })).not.toHaveProperty('include');
  },
);

test('tools are not strict, and a schema is merged into the text settings', async () => {
  const parameters = { type: 'object', properties: {} };
  const tools = [{ type: 'function', function: { name: 'find', description: 'Finds.', parameters } }] as const;
  expect(await bodyOf({ tools })).toMatchObject({
    tools: [{ type: 'function', name: 'find', description: 'Finds.', parameters, strict: false }],
  });
  const shape = nativeShape({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] });
  expect(await bodyOf({ shape, parameters: { text: { verbosity: 'low' } } })).toMatchObject({
    text: { verbosity: 'low', format: { type: 'json_schema', name: 'answer', schema: shape?.schema, strict: true } },
  });
});

test('system texts become instructions; calls, their outputs and images become items', () => {
  const image = { type: 'image', url: 'data:image/png;base64,AAAA' } as const;
  const shown = { type: 'input_image', image_url: image.url, detail: 'auto' };
  const messages: ChatMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [image, { type: 'text', text: '' }, { type: 'text', text: 'What is it?' }] },
    { role: 'assistant', content: 'Let me look.', tool_calls: [call('a', 'look up!', '{"x":1}'), call('b', 'f', '{')] },
    { role: 'tool', content: [{ type: 'text', text: 'a map' }, image], tool_call_id: 'a' },
    { role: 'tool', content: 'Error: no', tool_call_id: 'b' },
    { role: 'assistant', content: '' },
  ];
  expect(toResponsesInput(messages, { model: 'm' })).toEqual({
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: [shown, { type: 'input_text', text: 'What is it?' }] },
      { role: 'assistant', content: 'Let me look.' },
      { type: 'function_call', call_id: 'a', name: 'look_up_', arguments: '{"x":1}' },
      { type: 'function_call', call_id: 'b', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'a map' }, shown] },
      { type: 'function_call_output', call_id: 'b', output: 'Error: no' },
      { role: 'assistant', content: '(no answer)' },
    ],
  });
  const audio = { role: 'user', content: [{ type: 'audio', url: 'https://a.example/b.mp3' }] } as const;
  expect(() => inputOf(audio)).toThrow(/cannot accept audio: the protocol of its provider \(openai-responses\)/);
});

test('an answer yields text, reasoning, tool calls with unique ids and a finish reason', () => {
  const parts = { type: 'message', content: [{ type: 'output_text', text: 'Let ' }, { text: 'me look.' }, null] };
  const items = [
    reasoning('first'),
    reasoning('second', { content: [{ type: 'reasoning_text', text: 'all' }] }),
    parts,
  ];
  expect(read(null, 'x', ...items, asked('a', 'find', '{"x":1}'), { type: 'function_call' })).toEqual({
    message: {
      role: 'assistant',
      content: 'Let me look.',
      reasoning_content: 'first\nall',
      tool_calls: [call('a', 'find', '{"x":1}'), call('call_1_0_1', '', '')],
    },
    model: 'm-2',
    finishReason: 'tool_calls',
  });
  expect(read(said('ok'))).toMatchObject({ message: { role: 'assistant', content: 'ok' }, finishReason: 'stop' });
  expect(read().message.content).toBeNull();
  expect(read({ type: 'message', content: { text: 'x' } })).toMatchObject({ isNoText: true });
});

test('commentary before an answer is not part of it', () => {
  const comment = { ...said('Looking.'), phase: 'commentary' };
  expect(read(comment, { ...said('ok'), phase: 'final_answer' }).message.content).toBe('ok');
  expect(read(comment).message.content).toBe('Looking.');
});

const cut = (reason: string) => ({ status: 'incomplete', incomplete_details: { reason }, output: [said('o')] });

test('a cut-off answer has the finish reason of a chat completion', () => {
  expect(readResponse(cut('max_output_tokens'), 'm', at).finishReason).toBe('length');
  expect(readResponse(cut('content_filter'), 'm', at).finishReason).toBe('content_filter');
});

test.each([
  [
    { output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'I will not.' }] }] },
    /it is a refusal: I will not\.$/,
  ],
  [{ output: [], incomplete_details: { reason: 'content_filter' } }, /a content filter blocked the text/],
  [{ error: { message: 'Overloaded' } }, /reports an error: Overloaded/],
  [null, /contains no 'output'/],
])('the answer %j is an error with its reason', (body, words) => {
  expect(() => readResponse(body, 'm', at)).toThrow(words);
});

test('encrypted reasoning is sent back with the calls that followed it, repaired', () => {
  const kept = reasoning('hm', ENCRYPTED);
  const { message, asWritten } = read(kept, asked('a', 'look up!', '{'), reasoning('cut off', ENCRYPTED));
  const written = [kept, { ...asked('a', 'look_up_', '{}') }];
  expect(asWritten).toEqual(written);
  const { input } = toResponsesInput([message], { model: 'm', asWritten: new Map([[message, asWritten]]) });
  expect(input).toEqual(written);
});

test.each([
  ['without encrypted content', [reasoning('hm'), said('ok')]],
  ['that nothing follows', [said('ok'), reasoning('hm', ENCRYPTED)]],
])('reasoning %s is not sent back', (_, output) => {
  const { message, asWritten } = read(...output);
  expect(message.reasoning_content).toBe('hm');
  expect(asWritten).toBeUndefined();
});

const form = openaiResponses.paths.responses;

test.each([
  [{ status: 'failed', error: { code: 'server_error', message: 'x' }, output: [] }, undefined],
  [{ status: 'failed', error: { code: 'rate_limit_exceeded' }, output: [] }, 429],
  [{ status: 'failed', error: { code: 'invalid_prompt' }, output: [] }, 400],
  [{ status: 'queued', error: null, output: [] }, undefined],
  [{ object: 'response' }, undefined],
])('the answer %j is unusable', (answer, status) => {
  expect(form?.looksUsable(JSON.stringify(answer))).toBe(false);
  const problem = form?.problemIn(answer);
  expect(problem?.reason).toBeDefined();
  expect((problem?.error as { readonly status?: number } | null | undefined)?.status).toBe(status);
});

test.each([
  '{"id":"r","status":"completed","error":null,"output":[]}',
  ' {"id":"r", "status" : "incomplete","error":null,"output":[{"type":"message"}]}',
])('the body %s is usable without parsing it', (body) => {
  expect(form?.looksUsable(body)).toBe(true);
  expect(form?.problemIn(JSON.parse(body) as Record<string, unknown>)).toBeUndefined();
});

test('usage includes cached and reasoning tokens', async () => {
  const told: AnswerUsage[] = [];
  const meter = { onOutcome: () => {}, onSpent: (spent: AnswerUsage) => void told.push(spent) };
  const usage = {
    input_tokens: 9,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 5 },
  };
  const gateway = new CannedGateway(outcome({ status: 'completed', output: [said('ok')], usage }));
  await clientOf(gateway).chat({ model: 'm', messages: [USER], parameters: {}, timeoutMs: 9 }, at, meter);
  expect(told).toEqual([{ tokens: { input: 9, cachedInput: 4, output: 7, reasoning: 5 }, pictures: 0 }]);
});

test('reasoning items without text are no reasoning', () => {
  expect(read(reasoning(''), reasoning(''), said('ok')).message).not.toHaveProperty('reasoning_content');
  expect(read(reasoning(''), reasoning('hm'), said('ok')).message).toMatchObject({ reasoning_content: 'hm' });
});
