import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Call, type CallOutcome, OPEN_ROWS, type Resource } from '@data-designer/core';
import { ProviderRouter, type ProviderRouterOptions } from './provider-router.ts';

let server: Server;
let asked: number;
let answer: (response: ServerResponse) => void;
let router: ProviderRouter;

const say =
  (status: number, body: unknown) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

beforeEach(async () => {
  asked = 0;
  server = createServer((request, response) => {
    asked++;
    request.resume();
    answer(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});

afterEach(async () => {
  await router[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

const CHAT: Resource = { id: 'model/here/small', kind: 'model', provider: 'here', limit: 4, pool: 'model/here/small' };

function open(options: Partial<ProviderRouterOptions> = {}): void {
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const apiKey = 'canary-key';
  const model = { name: 'here', endpoint, providerType: 'openai', apiKey, extraBody: null, extraHeaders: null };
  const providers = { models: [model], tools: [] };
  router = new ProviderRouter({ resources: [CHAT], providers, frozen: {}, environment: {}, ...options });
}

const signal = new AbortController().signal;

async function send(row: number, resource = CHAT.id, pictures?: Call['pictures']): Promise<CallOutcome> {
  const permit = await router.admission(resource).acquire(row, router.stopped(resource));
  const call: Call = {
    resource,
    path: 'chat/completions',
    body: '{}',
    timeoutMs: 5000,
    row,
    column: 'a',
    call: 0,
    pictures,
  };
  return (await router.send(call, { permit, signal })).outcome;
}

test.each([
  [401, { error: { message: 'bad key' } }],
  [402, { error: { message: 'pay first' } }],
  [429, { error: { code: 'insufficient_quota' } }],
])('after a refusal of all requests (%i) only the requests in flight are sent', async (status, body) => {
  open();
  answer = say(status, body);
  const outcomes = await Promise.all(Array.from({ length: 200 }, (_, row) => send(row)));
  expect(new Set(outcomes.map((outcome) => `${outcome.status} ${outcome.body}`))).toEqual(
    new Set([`${status} ${JSON.stringify(body)}`]),
  );
  expect(asked).toBeLessThanOrEqual(CHAT.limit);
});

test('no part of a key is shown if the cut of a long refusal splits it', async () => {
  open();
  const before = '{"error":{"message":"';
  const spaces = ' '.repeat(65_536 - before.length - 'canary-k'.length);
  answer = say(422, { error: { message: `${spaces}canary-key is wrong` } });
  const { body } = await send(0);
  expect(body).not.toContain('canary');
});

test('a very long refusal is cut, and its key redacted', async () => {
  open();
  answer = say(422, { error: { message: `canary-key is wrong ${'x'.repeat(900_000)}` } });
  const { status, body } = await send(0);
  expect([status, body.slice(0, 40)]).toEqual([422, '{"error":{"message":"[secret] is wrong x']);
  expect(body.length).toBeLessThan(70_000);
});

test.each([403, 404])('a refusal that may concern one request (%i) ends no other call', async (status) => {
  open();
  answer = say(status, {});
  await Promise.all(Array.from({ length: 20 }, (_, row) => send(row)));
  expect(asked).toBe(20);
});

test('a model that takes no images is asked once, and its permits stay free', async () => {
  open();
  answer = say(400, { error: { message: 'canary-key: this model does not support image input' } });
  for (let row = 0; row < 6; row++) {
    const { status, body } = await send(row, CHAT.id, 'tool');
    expect([status, body.includes('image input'), body.includes('canary-key')]).toEqual([400, true, false]);
  }
  expect(asked).toBe(1);
  await send(7);
  expect(asked).toBe(2);
});

const USAGE = {
  choices: [{ message: { content: 'ok' } }],
  usage: { prompt_tokens: 1000, completion_tokens: 100 },
};
const PRICES = { [CHAT.id]: { input: 1000, output: 5000, cachedInput: null, image: null } };

test('once the budget is spent nothing is sent, and requests in flight are answered', async () => {
  open({ budget: { maxCost: 10, prices: PRICES, spentBefore: 0 } });
  answer = say(200, USAGE);
  const answers = await Promise.allSettled(Array.from({ length: 50 }, (_, row) => send(row)));
  const done = answers.filter((one) => one.status === 'fulfilled').length;
  // Each answer costs 1.5: the seventh spends the budget, with at most three more in flight.
  expect(done).toBeGreaterThanOrEqual(7);
  expect(done).toBeLessThanOrEqual(10);
  expect(asked).toBe(done);
  expect(router.spent?.reason).toMatchObject({ code: 'run/budget-spent' });
  expect(String(router.spent?.reason)).toMatch(/The budget of 10 is spent: the answers cost 10.5/);
});

test('the router notices a call that waits for a model beyond the budget, and still opens rows', async () => {
  open({ budget: { maxCost: 10, prices: PRICES, spentBefore: 10 } });
  expect(router.spent?.aborted).toBe(true);
  expect(router.wantsMore).toBe(false);
  router.admission(CHAT.id).request(0, () => {});
  expect(router.wantsMore).toBe(true);
  const permit = await router.admission(OPEN_ROWS).acquire(0, signal);
  permit.release();
});

test('after a pause the router grants no permits to models, tools or rows', async () => {
  open();
  router.pause();
  let given = 0;
  for (const resource of [CHAT.id, OPEN_ROWS, 'web']) router.admission(resource).request(0, () => given++);
  await sleep(20);
  expect(given).toBe(0);
  expect(router.stopped(CHAT.id).reason).toMatchObject({ code: 'run/over' });
});

test('the number of open rows is twice the current limits', async () => {
  open({ resources: [{ ...CHAT, limit: 20 }] });
  let rows = 0;
  for (let row = 0; row < 100; row++) router.admission(OPEN_ROWS).request(row, () => rows++);
  expect(rows).toBe(40);
  answer = say(429, {});
  const permits = await Promise.all(Array.from({ length: 20 }, () => router.admission(CHAT.id).acquire(0, signal)));
  for (const permit of permits.slice(10)) permit.release({ kind: 'refused', retryAfterMs: undefined });
  expect(router.admission(CHAT.id).limit).toBe(7);
  expect(router.admission(OPEN_ROWS).limit).toBe(14);
});

test('the kinds of request to one model share their largest limit, each within its own', async () => {
  const pool = { provider: 'here', kind: 'model', pool: CHAT.pool } as const;
  open({
    resources: [
      { ...pool, id: CHAT.id, limit: 8 },
      { ...pool, id: `${CHAT.id}/embedding`, limit: 3 },
    ],
  });
  const given = { chats: 0, vectors: 0 };
  for (let row = 0; row < 10; row++) {
    router.admission(`${CHAT.id}/embedding`).request(row, () => given.vectors++);
    router.admission(CHAT.id).request(row, () => given.chats++);
  }
  expect(given).toEqual({ chats: 5, vectors: 3 });
});
