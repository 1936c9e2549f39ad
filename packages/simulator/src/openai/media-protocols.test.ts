import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningSimulator, startSimulator } from '../start-simulator.ts';

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await startSimulator('--seed', '4');
});
afterAll(() => simulator[Symbol.asyncDispose]());

async function post(path: string, body: object) {
  const response = await fetch(`${simulator.url}/${path}`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, answer: (await response.json()) as Answer };
}

interface Answer {
  readonly data: readonly { readonly embedding?: unknown; readonly b64_json?: string; readonly url?: string }[];
  readonly usage: Readonly<Record<string, number>>;
  readonly choices: readonly {
    readonly message: { readonly images?: readonly { readonly image_url: { readonly url: string } }[] };
  }[];
  readonly error?: { readonly param: string | null; readonly message: string };
}

test('the same text has the same vector, as numbers and in Base64', async () => {
  const { answer } = await post('embeddings', { model: 'sim-embed', input: ['one', 'two', 'one'] });
  const [one, two, again] = answer.data.map(({ embedding }) => embedding as number[]);
  expect(one).toHaveLength(16);
  expect(again).toEqual(one);
  expect(two).not.toEqual(one);
  const packed = await post('embeddings', { model: 'sim-embed', input: 'one', encoding_format: 'base64' });
  const bytes = Buffer.from(packed.answer.data[0]?.embedding as string, 'base64');
  expect(Array.from({ length: 16 }, (_, index) => bytes.readFloatLE(4 * index))).toEqual(one);
  expect(answer.usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
});

test.each([
  ['embeddings', { input: 'a' }, 'model'],
  ['embeddings', { model: 'm', input: [] }, 'input'],
  ['embeddings', { model: 'm', input: ['a', ''] }, 'input'],
  ['embeddings', { model: 'm', input: 'a', encoding_format: 'hex' }, 'encoding_format'],
  ['embeddings', { model: 'm', input: 'a', dimensions: 0 }, 'dimensions'],
  ['images/generations', { prompt: 'a' }, 'model'],
  ['images/generations', { model: 'm', prompt: '' }, 'prompt'],
  ['images/generations', { model: 'm', prompt: 'a', n: 9 }, 'n'],
  ['images/generations', { model: 'm', prompt: 'a', response_format: 'png' }, 'response_format'],
])('%s refuses %j', async (path, body, param) => {
  const { status, answer } = await post(path, body);
  expect([status, answer.error?.param]).toEqual([400, param]);
});

test('an image is a PNG, in Base64 and at a URL', async () => {
  const request = { model: 'sim-dalle', prompt: 'A cat', n: 2 };
  const { answer } = await post('images/generations', request);
  const [first, second] = answer.data.map(({ b64_json }) => Buffer.from(b64_json ?? '', 'base64'));
  expect(first?.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
  expect(second?.equals(first ?? second)).toBe(false);
  const linked = await post('images/generations', { ...request, response_format: 'url' });
  const response = await fetch(linked.answer.data[1]?.url ?? '');
  expect(response.headers.get('content-type')).toBe('image/png');
  expect(
    Buffer.from(await response.arrayBuffer())
      .subarray(0, 8)
      .toString('hex'),
  ).toBe('89504e470d0a1a0a');
  expect((await fetch(`${simulator.origin}/pictures/x.png`)).status).toBe(404);
});

test('a chat returns an image if its modalities or its model request one', async () => {
  const messages = [{ role: 'user', content: 'A cat' }];
  for (const request of [
    { model: 'sim-image', messages },
    { model: 'sim-small', messages, modalities: ['image', 'text'] },
  ]) {
    const { answer } = await post('chat/completions', request);
    expect(answer.choices[0]?.message.images?.[0]?.image_url.url).toMatch(/^data:image\/png;base64,/);
  }
  const { answer } = await post('chat/completions', { model: 'sim-small', messages });
  expect(answer.choices[0]?.message).not.toHaveProperty('images');
});

test('embeddings and images have faults too', async () => {
  expect((await post('embeddings', { model: 'sim-503', input: 'a' })).status).toBe(503);
  expect((await post('images/generations', { model: 'sim-empty', prompt: 'a' })).answer.data).toEqual([]);
});

const strict = (schema: object) => ({
  model: 'sim-small',
  messages: [{ role: 'user', content: 'Hi' }],
  response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
});
const open = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };

test.each([
  [{ ...open }, /additionalProperties/],
  [{ ...open, additionalProperties: false, required: [] }, /'a' is missing/],
  [{ ...open, additionalProperties: false, allOf: [] }, /'allOf'/],
  [{ ...open, additionalProperties: false, $defs: { B: open } }, /additionalProperties/],
  [{ ...open, additionalProperties: false, properties: { a: { anyOf: [open] } } }, /additionalProperties/],
])('a strict schema that breaks the rules is refused: %j', async (schema, said) => {
  const { status, answer } = await post('chat/completions', strict(schema));
  expect(status).toBe(400);
  expect(answer.error?.message).toMatch(said);
});

test('a tool message with an image is refused', async () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
  const content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }];
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content },
  ];
  const { answer } = await post('chat/completions', { model: 'sim-small', messages });
  expect(answer.error?.message).toContain('a tool message may hold text only');
});

test('usage counts cached and reasoning tokens', async () => {
  const messages = [
    { role: 'user', content: 'Tell me about bees.' },
    { role: 'assistant', content: 'They fly.' },
    { role: 'user', content: 'More.' },
  ];
  const { answer } = await post('chat/completions', { model: 'sim-reasoning', messages });
  const usage = answer.usage as unknown as Record<string, Record<string, number>>;
  expect(usage.prompt_tokens_details?.cached_tokens).toBeGreaterThan(0);
  expect(usage.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
});
