import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ChatMessage } from '@data-designer/core';
import { CannedGateway, outcome, planned } from '../test/canned-gateway.ts';
import { openClient } from './open-client.ts';
import { nativeShape } from './shape/native-shape.ts';

/** The bodies of version 0.1: requests are hashed, so one changed byte voids every journaled answer. */
const GOLDEN = JSON.parse(readFileSync(new URL('../test/golden-requests.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, string>
>;

const at = { row: 3, column: 'a', call: 1 };
const find = {
  type: 'function',
  function: {
    name: 'find',
    description: 'Finds.',
    parameters: { type: 'object', properties: { q: { type: 'string' } } },
  },
} as const;
const call = (id: string, name: string, text: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: text },
});
const image = { type: 'image', media_type: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' } as const;
const hosted = { type: 'image', url: 'https://a.example/b.png' } as const;
const MESSAGES: readonly ChatMessage[] = [
  { role: 'system', content: 'Be brief: “é”.' },
  { role: 'user', content: [image, hosted, { type: 'text', text: 'What is it?' }] },
  {
    role: 'assistant',
    content: null,
    reasoning_content: 'hm',
    tool_calls: [call('a', 'find', '{"q":1.0,"n":12345678901234567890}'), call('b', 'look up!', '{broken')],
  },
  { role: 'tool', content: [{ type: 'text', text: 'a map' }, image], tool_call_id: 'a' },
  { role: 'tool', content: 'Error: no', tool_call_id: 'b' },
  { role: 'assistant', content: '' },
  { role: 'user', content: 'Once more.' },
];
const SCHEMA = {
  type: 'object',
  properties: { question: { type: 'string', minLength: 1 }, hint: { type: 'string' } },
  required: ['question'],
};
const PARAMETERS = { temperature: 0.5, top_p: 0.9, max_tokens: 77, stop: 'x', n: 2, seed: 4, reasoning_effort: 'low' };

/** One request of each kind, for each protocol that supports it. */
const REQUESTS = {
  chat: [{ messages: [{ role: 'user', content: 'Hi' }] as const, parameters: {} }],
  parameters: [{ messages: [{ role: 'user', content: 'Hi' }] as const, parameters: PARAMETERS }],
  turns: [{ messages: MESSAGES, parameters: { max_tokens: 9 }, tools: [find] }],
  shaped: [{ messages: [{ role: 'user', content: 'Hi' }] as const, parameters: {}, shape: nativeShape(SCHEMA) }],
  loose: [
    {
      messages: [{ role: 'user', content: 'Hi' }] as const,
      parameters: { extra: { b: 1, a: [] } },
      shape: nativeShape({ ...SCHEMA, oneOf: [{}] }),
    },
  ],
} as const;

async function bodyOf(protocol: 'openai' | 'anthropic', name: keyof typeof REQUESTS): Promise<string> {
  const gateway = new CannedGateway(outcome({}));
  const [request] = REQUESTS[name];
  const client = openClient(gateway, planned({ protocol }));
  await client.chat({ model: 'm-1', timeoutMs: 9, ...request }, at).catch(() => {});
  return `${gateway.calls[0]?.path} ${gateway.calls[0]?.body}`;
}

const NAMES = Object.keys(REQUESTS) as readonly (keyof typeof REQUESTS)[];

test.each(['openai', 'anthropic'] as const)('the chat requests of %s match the recorded bytes', async (protocol) => {
  for (const name of NAMES) expect(await bodyOf(protocol, name)).toBe(GOLDEN[`${protocol} ${name}`]);
});

test('embedding and image requests match the recorded bytes', async () => {
  const gateway = new CannedGateway(outcome({}), outcome({}), outcome({}));
  const client = openClient(gateway, planned());
  const common = { parameters: { n: 2, dimensions: 8 }, timeoutMs: 9 };
  await client.embed({ ...common, model: 'm-1', texts: ['one', 'é'] }, at).catch(() => {});
  await client.generateImage({ ...common, model: 'DALL-E-3', prompt: 'A cat', media: [image] }, at).catch(() => {});
  await client.generateImage({ ...common, model: 'painter', prompt: 'A cat', media: [image] }, at).catch(() => {});
  const sent = gateway.calls.map(({ path, body }) => `${path} ${body}`);
  expect(sent).toEqual([GOLDEN['embedding'], GOLDEN['image'], GOLDEN['image in a chat']]);
});
