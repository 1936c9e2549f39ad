import { connect } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningSimulator, startSimulator } from '../start-simulator.ts';
import type { ChatCompletion } from '../openai/completion-body.ts';

const find = {
  type: 'function',
  function: { name: 'find', parameters: { properties: { topic: { type: 'string' } } } },
};

function ask(model: string, others: object = {}) {
  return { model, messages: [{ role: 'user', content: 'Describe bicycles in a few words.' }], ...others };
}

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator[Symbol.asyncDispose]());

beforeEach(() => fetch(`${simulator.origin}/stats/reset`, { method: 'POST' }));

test.each([500, 503, 400, 404, 429])('the model sim-%d answers with that status', async (status) => {
  const response = await simulator.post(ask(`sim-${status}`));
  expect(response.status).toBe(status);
  expect(await response.json()).toHaveProperty('error.message', expect.stringContaining(String(status)));
  expect(response.headers.get('retry-after')).toBe(status === 429 || status === 503 ? '1' : null);
});

test('a model with -once fails only the first time it sees a request', async () => {
  expect((await simulator.post(ask('sim-503-once'))).status).toBe(503);
  expect((await simulator.post(ask('sim-503-once'))).status).toBe(200);
});

test('a reset connection sends no bytes', async () => {
  await expect(simulator.post(ask('sim-reset'))).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
  expect((await simulator.stats()).byStatus).toEqual({ reset: 1 });
});

test('a truncated answer starts normally and ends in the middle of its body', async () => {
  const body = JSON.stringify(ask('sim-truncate'));
  const socket = connect(Number(new URL(simulator.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  const [head = '', received = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1.1 200 /);
  expect(Number(/content-length: (\d+)/i.exec(head)?.[1])).toBeGreaterThan(received.length);
  expect(received).toMatch(/^\{"id":"chatcmpl-/);
  expect(await simulator.stats()).toMatchObject({ byStatus: { truncate: 1 }, answers: 0 });
});

test.each([
  ['quota', 429, 'insufficient_quota'],
  ['too-long', 400, 'context_length_exceeded'],
])('%s is refused with status %d and the code %s', async (fault, status, code) => {
  const response = await simulator.post(ask(`sim-${fault}`));
  expect(response.status).toBe(status);
  expect(response.headers.get('retry-after')).toBe(null);
  expect(await response.json()).toHaveProperty('error.code', code);
});

test('a stalled answer begins and does not end', async () => {
  const leave = new AbortController();
  const init = { method: 'POST', body: JSON.stringify(ask('sim-stall')), signal: leave.signal };
  const response = await fetch(`${simulator.url}/chat/completions`, init);
  expect(response.status).toBe(200);
  const reading = response.text();
  setTimeout(() => leave.abort(), 200);
  await expect(reading).rejects.toThrow(/abort/);
  await expect.poll(async () => (await simulator.stats()).byStatus).toEqual({ stall: 1 });
});

test('a hanging request is never answered', async () => {
  const leave = new AbortController();
  const init = { method: 'POST', body: JSON.stringify(ask('sim-hang')), signal: leave.signal };
  const asking = fetch(`${simulator.url}/chat/completions`, init);
  await expect.poll(async () => (await simulator.stats()).inFlight).toBe(1);
  setTimeout(() => leave.abort(), 200);
  await expect(asking).rejects.toThrow(/abort/);
  await expect.poll(async () => (await simulator.stats()).byStatus).toEqual({ hang: 1 });
});

async function complete(model: string, others: object = {}): Promise<Response> {
  const response = await simulator.post(ask(model, others));
  expect(response.status).toBe(200);
  return response;
}

async function messageOf(model: string, others: object = {}) {
  return ((await (await complete(model, others)).json()) as ChatCompletion).choices[0];
}

describe('faults of a whole answer', () => {
  test('bad-json sends invalid JSON as application/json', async () => {
    const response = await complete('sim-bad-json');
    expect(response.headers.get('content-type')).toBe('application/json');
    await expect(response.json()).rejects.toThrow(SyntaxError);
  });

  test('html sends an HTML page', async () => {
    const response = await complete('sim-html');
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(await response.text()).toContain('<!doctype html>');
  });

  test('empty sends no content', async () => {
    expect(await messageOf('sim-empty')).toMatchObject({ message: { content: '' }, finish_reason: 'stop' });
  });

  test('stray-tools calls a tool although the request offers none', async () => {
    const { message, finish_reason: reason } = await messageOf('sim-stray-tools');
    expect(reason).toBe('tool_calls');
    expect(message).toMatchObject({ content: null, tool_calls: [{ type: 'function' }] });
  });

  test('length cuts the answer in the middle', async () => {
    const whole = (await messageOf('sim-small')).message.content ?? '';
    const { message, finish_reason: reason } = await messageOf('sim-length');
    expect(reason).toBe('length');
    expect(message.content?.length).toBeLessThan(whole.length + 200);
    expect(message.content).not.toMatch(/\.$/);
  });

  test('think and reasoning add reasoning to the answer', async () => {
    expect((await messageOf('sim-think')).message.content).toMatch(/^<think>\n.+\n<\/think>\n.+/);
    expect((await messageOf('sim-reasoning')).message).toMatchObject({
      content: expect.any(String),
      reasoning_content: expect.any(String),
    });
  });

  test('bad-arguments sends arguments that are not JSON, and unknown-tool calls a tool that was not offered', async () => {
    const bad = (await messageOf('sim-bad-arguments', { tools: [find] })).message.tool_calls?.[0];
    expect(() => void JSON.parse(bad?.function.arguments ?? '{}')).toThrow(SyntaxError);
    const unknown = (await messageOf('sim-unknown-tool', { tools: [find] })).message.tool_calls?.[0];
    expect(unknown?.function.name).not.toBe('find');
  });
});

test('endless-tools calls a tool in every turn, for as long as tools are offered', async () => {
  const messages: object[] = [{ role: 'user', content: 'Hello' }];
  for (let turn = 0; turn < 6; turn++) {
    const response = await simulator.post({ model: 'sim-endless-tools', messages, tools: [find] });
    const { message } = ((await response.json()) as ChatCompletion).choices[0];
    expect(message.tool_calls?.length).toBeGreaterThan(0);
    messages.push(
      message,
      ...(message.tool_calls ?? []).map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'x' })),
    );
  }
  const last = (await (await simulator.post({ model: 'sim-endless-tools', messages })).json()) as ChatCompletion;
  expect(last.choices[0].message.tool_calls).toBeUndefined();
  expect(last.choices[0].finish_reason).toBe('stop');
});

/** The statuses of 20 requests sent twice to a server that often fails. */
async function statuses(): Promise<number[]> {
  await using failing = await startSimulator('--seed', '5', '--faults', '500=0.3,503=0.2');
  const seen: number[] = [];
  for (let index = 0; index < 40; index++) {
    const { status } = await failing.post(ask('sim-small', { seed: index % 20 }));
    seen.push(status);
  }
  return seen;
}

test(
  'a request that failed by rate may succeed when repeated, and the same seed gives the same faults',
  { tags: 'long' },
  async () => {
    const first = await statuses();
    expect(await statuses()).toEqual(first);
    expect(new Set(first)).toEqual(new Set([200, 500, 503]));
    expect(first.slice(0, 20).some((status, index) => status !== 200 && first[index + 20] === 200)).toBe(true);
  },
);

test('endless tools by rate last for a whole conversation', async () => {
  await using failing = await startSimulator('--faults', 'endless-tools=1');
  const calls = [{ id: 'c', type: 'function', function: { name: 'find', arguments: '{}' } }];
  const round = [
    { role: 'assistant', content: null, tool_calls: calls },
    { role: 'tool', tool_call_id: 'c', content: '' },
  ];
  const messages = [{ role: 'user', content: 'Hello' }, ...round, ...round, ...round, ...round];
  const response = await failing.post({ model: 'sim-small', messages, tools: [find] });
  expect(((await response.json()) as ChatCompletion).choices[0].finish_reason).toBe('tool_calls');
});
