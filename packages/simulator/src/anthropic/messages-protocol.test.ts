import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningSimulator, startSimulator } from '../start-simulator.ts';

const VERSION = { 'anthropic-version': '2023-06-01' };
const user = { role: 'user', content: 'What is near? Use the tool find.' };
const base = { model: 'sim-small', max_tokens: 900, messages: [user] };
const tools = [{ name: 'find', description: 'Finds.', input_schema: { type: 'object', properties: {} } }];
const thinking = { type: 'enabled', budget_tokens: 1024 };

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly thinking?: string;
  readonly signature?: string;
}

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator[Symbol.asyncDispose]());

async function post(body: object, headers: Record<string, string> = VERSION) {
  const response = await fetch(`${simulator.url}/messages`, { method: 'POST', body: JSON.stringify(body), headers });
  const answer = (await response.json()) as {
    readonly content: readonly Block[];
    readonly stop_reason: string;
    readonly usage: Readonly<Record<string, number>>;
    readonly error?: { readonly type: string; readonly message: string };
  };
  return { status: response.status, answer };
}

test('an answer follows the protocol and counts its tokens', async () => {
  const { status, answer } = await post(base);
  expect(status).toBe(200);
  expect(answer).toMatchObject({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: expect.any(String) as string }],
    stop_reason: 'end_turn',
    usage: { cache_read_input_tokens: 0, output_tokens: expect.any(Number) as number },
  });
  expect((await post({ ...base, max_tokens: 5 })).answer.stop_reason).toBe('max_tokens');
});

test('a tool conversation with thinking continues only if the request returns the signed thinking unchanged', async () => {
  const request = { ...base, tools, thinking, tool_choice: { type: 'any' } };
  const { answer } = await post(request);
  expect(answer.stop_reason).toBe('tool_use');
  expect(answer.content[0]).toMatchObject({ type: 'thinking', signature: expect.any(String) as string });
  const uses = answer.content.filter(({ type }) => type === 'tool_use');
  const results = uses.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'a lake' }));
  const reply = (content: readonly object[]) =>
    post({
      ...request,
      tool_choice: { type: 'none' },
      messages: [user, { role: 'assistant', content }, { role: 'user', content: results }],
    });

  const next = await reply(answer.content);
  expect(next.status).toBe(200);
  expect(JSON.stringify(next.answer.content)).toContain('a lake');
  expect(next.answer.usage.cache_read_input_tokens).toBeGreaterThan(0);
  expect((await reply(uses)).answer.error?.message).toContain('must begin with its thinking block');
  const [thought = { type: '' }, ...others] = answer.content;
  const forged = await reply([{ ...thought, thinking: 'something else' }, ...others]);
  expect(forged.status).toBe(400);
  expect(forged.answer.error?.message).toContain('Invalid `signature`');
});

const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'find', input: {} }] };
const image = (source: object) => ({ ...base, messages: [{ role: 'user', content: [{ type: 'image', source }] }] });

test('a request without the protocol version is refused', async () => {
  expect((await post(base, {})).answer.error?.message).toContain('anthropic-version');
});

test.each<[string, object, RegExp]>([
  ['no max_tokens', { ...base, max_tokens: undefined }, /max_tokens/],
  ['a field of another protocol', { ...base, seed: 1 }, /seed: Extra inputs/],
  ['no messages', { ...base, messages: [] }, /at least one/],
  ['a system message', { ...base, messages: [{ role: 'system', content: 'x' }] }, /role/],
  ['an empty text', { ...base, messages: [{ role: 'user', content: '' }] }, /must not be empty/],
  ['an empty block', { ...base, messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }, /non-empty/],
  ['no blocks', { ...base, messages: [{ role: 'user', content: [] }] }, /filled list/],
  ['audio', { ...base, messages: [{ role: 'user', content: [{ type: 'audio' }] }] }, /not permitted here/],
  ['a picture without bytes', image({ type: 'base64', media_type: 'image/png' }), /source must be/],
  ['a call without a result', { ...base, messages: [user, use, user] }, /without tool_result/],
  [
    'a result without a call',
    { ...base, messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] }] },
    /without a tool_use/,
  ],
  ['an answer first', { ...base, messages: [{ role: 'assistant', content: 'x' }] }, /must be of the user/],
  ['a tool without a schema', { ...base, tools: [{ name: 'f' }] }, /input_schema/],
])('%s is refused', async (_, body, said) => {
  const { status, answer } = await post(body);
  expect([status, answer.error?.type]).toEqual([400, 'invalid_request_error']);
  expect(answer.error?.message).toMatch(said);
});

test('images by URL and in Base64 are accepted', async () => {
  expect((await post(image({ type: 'url', url: 'https://a.example/b.png' }))).status).toBe(200);
  expect((await post(image({ type: 'base64', media_type: 'image/png', data: 'AAAA' }))).status).toBe(200);
});

test('faults are errors in the format of the protocol', async () => {
  const { status, answer } = await post({ ...base, model: 'sim-529' });
  expect([status, answer.error?.type]).toEqual([529, 'overloaded_error']);
});
