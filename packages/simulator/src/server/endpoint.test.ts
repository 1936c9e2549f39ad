import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../ledger.ts';
import { type RunningSimulator, startSimulator } from '../start-simulator.ts';
import type { ChatCompletion } from '../openai/completion-body.ts';

const POLL = { timeout: 100_000, interval: 20 };

function ask(content: string, others: object = {}) {
  return { model: 'sim-small', messages: [{ role: 'user', content }], ...others };
}

async function textsOf(simulator: RunningSimulator, questions: readonly string[]): Promise<string[]> {
  return Promise.all(questions.map(async (question) => (await simulator.post(ask(question))).text()));
}

test(
  'the same seed and request give the same bytes, another seed or request gives other bytes',
  { tags: 'long' },
  async () => {
    await using first = await startSimulator('--seed', '1');
    await using again = await startSimulator('--seed', '1');
    await using other = await startSimulator('--seed', '2');
    const questions = Array.from({ length: 20 }, (_, index) => `Describe product ${index} for cyclists in Bavaria.`);
    const texts = await textsOf(first, questions);
    expect(await textsOf(first, questions)).toEqual(texts);
    expect(await textsOf(again, questions)).toEqual(texts);
    expect(new Set(texts).size).toBe(20);
    expect(await textsOf(other, questions)).not.toEqual(texts);
  },
);

test('a plain answer is a few sentences about the question, with its tokens counted', { tags: 'long' }, async () => {
  await using simulator = await startSimulator();
  const response = await simulator.post(ask('Describe bicycles.'));
  const { choices, usage, model } = (await response.json()) as ChatCompletion;
  const { content } = choices[0].message;
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(model).toBe('sim-small');
  expect(choices[0].finish_reason).toBe('stop');
  expect(content).toMatch(/bicycles|Describe/);
  expect(usage.completion_tokens).toBe(Math.ceil((content?.length ?? 0) / 4));
  expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
});

test('an answer is cut at the token limit of the request', { tags: 'long' }, async () => {
  await using simulator = await startSimulator();
  for (const limit of ['max_tokens', 'max_completion_tokens']) {
    const response = await simulator.post(ask('Describe bicycles.', { [limit]: 5 }));
    const { choices, usage } = (await response.json()) as ChatCompletion;
    expect(choices[0].message.content).toHaveLength(20);
    expect(choices[0].finish_reason).toBe('length');
    expect(usage.completion_tokens).toBe(5);
  }
});

describe('a request a real server would refuse', () => {
  const user = { role: 'user', content: 'Hello' };
  const calls = [{ id: 'call_1', type: 'function', function: { name: 'find', arguments: '{}' } }];
  const assistant = { role: 'assistant', content: null, tool_calls: calls };
  const tool = { role: 'tool', tool_call_id: 'call_1', content: 'found' };
  const model = 'sim-small';
  let simulator: RunningSimulator;
  beforeAll(async () => {
    simulator = await startSimulator();
  });
  afterAll(() => simulator[Symbol.asyncDispose]());

  test.each<[string, object | string, string | null]>([
    ['broken JSON', '{"model"', null],
    ['no object', '[]', null],
    ['no model', { messages: [user] }, 'model'],
    ['no messages', { model }, 'messages'],
    ['empty messages', { model, messages: [] }, 'messages'],
    ['an unknown role', { model, messages: [{ role: 'wizard', content: 'x' }] }, 'messages[0]'],
    ['no content', { model, messages: [{ role: 'user' }] }, 'messages[0]'],
    ['content of numbers', { model, messages: [{ role: 'user', content: 5 }] }, 'messages[0]'],
    ['a tool message without a call', { model, messages: [user, tool] }, 'messages[1]'],
    [
      'another tool_call_id',
      { model, messages: [user, assistant, { ...tool, tool_call_id: 'call_2' }] },
      'messages[2]',
    ],
    ['a tool message answered twice', { model, messages: [user, assistant, tool, tool] }, 'messages[3]'],
    ['a call without an answer', { model, messages: [user, assistant, user] }, 'messages[2]'],
    ['a call without an answer at the end', { model, messages: [user, assistant] }, 'messages'],
    [
      'a tool message without tool_call_id',
      { model, messages: [user, assistant, { role: 'tool', content: '' }] },
      'messages[2]',
    ],
    ...[
      ['a call with broken arguments', 'find', '{"a":'],
      ['a call without arguments', 'find', ''],
      ['a call with a list of arguments', 'find', '[1]'],
      ['a call with an invalid name', 'look up!', '{}'],
      ['a call without a name', '', '{}'],
    ].map(([what = '', name, text]): [string, object, string] => {
      const called = { ...assistant, tool_calls: [{ ...calls[0], function: { name, arguments: text } }] };
      return [what, { model, messages: [user, called, tool] }, 'messages[1]'];
    }),
    ['calls by a user', { model, messages: [{ ...assistant, role: 'user' }] }, 'messages[0]'],
    ['an invalid temperature', { model, messages: [user], temperature: 9 }, 'temperature'],
    ['no tokens', { model, messages: [user], max_tokens: 0 }, 'max_tokens'],
    ['streaming', { model, messages: [user], stream: true }, 'stream'],
    [
      'a tool without a name',
      { model, messages: [user], tools: [{ type: 'function', function: {} }] },
      'tools[0].function.name',
    ],
    ['a choice without tools', { model, messages: [user], tool_choice: 'required' }, 'tool_choice'],
    [
      'a schema that is missing',
      { model, messages: [user], response_format: { type: 'json_schema' } },
      'response_format.json_schema.schema',
    ],
  ])('is refused: %s', async (_name, body, param) => {
    const response = await simulator.post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: { message: expect.any(String), type: 'invalid_request_error', param, code: null },
    });
  });
});

test(
  'answers unknown paths with 404, other methods with 405, and bodies over 16 MB with 413',
  { tags: 'long' },
  async () => {
    await using simulator = await startSimulator();
    expect((await fetch(`${simulator.url}/completions`, { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await fetch(`${simulator.url}/chat/completions`)).status).toBe(405);
    const large = await simulator.post(ask('x'.repeat(16 * 1024 * 1024)));
    expect(large.status).toBe(413);
    expect((await simulator.post(ask('x'.repeat(1024 * 1024)))).status).toBe(200);
  },
);

test('requests without the API key are refused', async () => {
  await using simulator = await startSimulator('--api-key', 'sesame');
  expect((await simulator.post(ask('Hello'))).status).toBe(401);
  expect((await simulator.post(ask('Hello'), { authorization: 'Bearer wrong' })).status).toBe(401);
  expect((await fetch(`${simulator.url}/models`)).status).toBe(401);
  expect((await simulator.post(ask('Hello'), { authorization: 'Bearer sesame' })).status).toBe(200);
});

/** Fills the server with requests that hang; the returned function aborts them. */
async function fill(simulator: RunningSimulator, count: number): Promise<() => Promise<void>> {
  const controller = new AbortController();
  const body = JSON.stringify(ask('Hello', { model: 'sim-hang' }));
  const init = { method: 'POST', body, signal: controller.signal };
  const hanging = Array.from({ length: count }, () => fetch(`${simulator.url}/chat/completions`, init));
  const settled = Promise.allSettled(hanging);
  await expect.poll(async () => (await simulator.stats()).inFlight, POLL).toBe(count);
  return async () => {
    controller.abort();
    await settled;
    await expect.poll(async () => (await simulator.stats()).inFlight, POLL).toBe(0);
  };
}

test.each([
  ['--retry-after 7', ['--retry-after', '7'], '7'],
  ['the default', [], '1'],
  ['--retry-after none', ['--retry-after', 'none'], null],
])(
  'requests beyond the limit are refused with the Retry-After of %s',
  { tags: 'long' },
  async (_name, flags, expected) => {
    await using simulator = await startSimulator('--limit', '2', ...flags);
    const letGo = await fill(simulator, 2);
    const refused = await simulator.post(ask('Hello'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expected]);
    await letGo();
    expect((await simulator.post(ask('Hello again'))).status).toBe(200);
  },
);

test('the log has one line for each request, with its sender and the drawn latency', { tags: 'long' }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'simulator-'));
  const file = join(folder, 'log.ndjson');
  const bodies = Array.from({ length: 40 }, (_, index) => JSON.stringify(ask(`Describe product ${index}.`)));
  const run = async () => {
    await using simulator = await startSimulator('--seed', '3', '--latency', 'uniform:5:20', '--log', file);
    await Promise.all(
      bodies.map((body) => simulator.post(body, { 'user-agent': 'machine-1' }).then((response) => response.text())),
    );
  };
  const begunAt = Date.now();
  await run();
  await run();
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  await rm(folder, { recursive: true });
  const entries = lines.map((line) => JSON.parse(line) as Entry);
  expect(entries).toHaveLength(80);
  for (const { sender, arrivedAt, tookMs } of entries) {
    expect(sender).toBe('machine-1');
    expect(arrivedAt).toBeGreaterThanOrEqual(begunAt);
    expect(tookMs).toBeGreaterThan(0);
  }
  for (const { latencyMs, status, model, promptTokens, completionTokens } of entries) {
    expect(latencyMs).toBeGreaterThanOrEqual(5);
    expect(latencyMs).toBeLessThanOrEqual(20);
    expect([status, model, promptTokens > 0, completionTokens > 0]).toEqual([200, 'sim-small', true, true]);
  }
  expect(new Set(entries.map(({ latencyMs }) => latencyMs)).size).toBe(40);
  expect(new Set(entries.map(({ hash }) => hash))).toEqual(new Set(bodies.map(sha256)));
});

test('stats count requests, and answers that were bought twice', { tags: 'long' }, async () => {
  await using simulator = await startSimulator();
  const bought = JSON.stringify(ask('Sell me this.'));
  await simulator.post(bought);
  await simulator.post(bought);
  await simulator.post(ask('And this.', { model: 'sim-large' }));
  await simulator.post(ask('Not this.', { model: 'sim-500' }));
  const stats = await simulator.stats();
  expect(stats).toMatchObject({
    requests: 4,
    byStatus: { 200: 3, 500: 1 },
    answers: 3,
    distinctAnswers: 2,
    boughtTwice: 1,
  });
  expect(stats.byModel).toEqual({ 'sim-small': 2, 'sim-large': 1, 'sim-500': 1 });
  expect(stats.bought).toMatchObject({ [sha256(bought)]: 2 });
  expect(stats.promptTokens).toBeGreaterThan(0);
  expect(stats.completionTokens).toBeGreaterThan(0);
  expect((await fetch(`${simulator.origin}/stats/reset`, { method: 'POST' })).status).toBe(200);
  expect(await simulator.stats()).toMatchObject({ requests: 0, byStatus: {}, bought: {}, answers: 0, promptTokens: 0 });
});

test('stats report the most requests in flight at once', async () => {
  await using simulator = await startSimulator();
  const letGo = await fill(simulator, 3);
  await letGo();
  await simulator.post(ask('Hello'));
  expect(await simulator.stats()).toMatchObject({ maxInFlight: 3, inFlight: 0, byStatus: { 200: 1, hang: 3 } });
});

test('an answer whose client has left counts as aborted, not as bought', async () => {
  await using simulator = await startSimulator('--latency', '60000');
  const leave = new AbortController();
  const init = { method: 'POST', body: JSON.stringify(ask('Bye')), signal: leave.signal };
  const asking = fetch(`${simulator.url}/chat/completions`, init);
  await expect.poll(async () => (await simulator.stats()).inFlight, POLL).toBe(1);
  leave.abort();
  await expect(asking).rejects.toThrow(/abort/);
  await expect.poll(async () => (await simulator.stats()).byStatus, POLL).toEqual({ aborted: 1 });
  expect(await simulator.stats()).toMatchObject({ answers: 0, inFlight: 0 });
});

test('stats summarise the drawn latencies of answers', async () => {
  await using simulator = await startSimulator('--latency', '25');
  await Promise.all([1, 2, 3].map((index) => simulator.post(ask(`Hello ${index}`))));
  expect((await simulator.stats()).latencyMs).toEqual({ mean: 25, p50: 25, p95: 25, p99: 25, max: 25 });
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
