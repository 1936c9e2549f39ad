import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Call, type CallOutcome, DataDesignerError } from '@data-designer/core';
import { protocolOf } from '@data-designer/models/protocols';
import { AdaptiveLimit } from '../admission/adaptive-limit.ts';
import { Admission } from '../admission/admission.ts';
import { AnswerMemory } from '../admission/answer-memory.ts';
import { fixedLimit } from '../admission/permit-source.ts';
import type { ModelAccess } from './model-access.ts';
import { ModelEndpoint } from './model-endpoint.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Waits until a condition holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(2);
}

let server: Server;
let endpoint: ModelEndpoint;
let admission: Admission;
let answer: Answer;
let asked: IncomingMessage[];
/** The number of requests whose connection ended before the answer. */
let cutOff: number;

const ACCESS = { protocol: protocolOf('openai'), apiKey: 'a-key', extraHeaders: {} };
const POLICY = { baseMs: 1, maxMs: 4, maxAttempts: 4 };
const CALL: Call = {
  resource: 'model/here/small',
  path: 'chat/completions',
  body: '{"model":"small"}',
  timeoutMs: 5000,
  row: 0,
  column: 'answer',
  call: 0,
};

const ANSWER = '{"choices":[{"message":{"content":"ok"}}]}';

const say =
  (status: number, body = ANSWER, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };

/** Sends each answer in turn; the last one repeats. */
function inTurn(...answers: readonly Answer[]): Answer {
  let turn = 0;
  return (...exchange) => (answers[Math.min(turn++, answers.length - 1)] as Answer)(...exchange);
}

const never: Answer = () => {};

beforeEach(async () => {
  asked = [];
  cutOff = 0;
  server = createServer((request, response) => {
    asked.push(request);
    request.resume();
    response.on('close', () => {
      if (!response.writableFinished) cutOff++;
    });
    answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  endpoint = open({});
  admission = new Admission(fixedLimit(2));
});

afterEach(async () => {
  await endpoint[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

function open(access: Partial<ModelAccess>): ModelEndpoint {
  return new ModelEndpoint({ ...ACCESS, ...access, endpoint: addressOf(server) }, POLICY);
}

function addressOf(one: Server): string {
  return `http://127.0.0.1:${(one.address() as AddressInfo).port}/v1`;
}

const signal = new AbortController().signal;

async function send(call: Partial<Call> = {}, signals: { signal?: AbortSignal; paused?: AbortSignal } = {}) {
  const permit = await admission.acquire(0, signal);
  return endpoint.send({ ...CALL, ...call }, { permit, admission, priority: 0, signal, paused: signal, ...signals });
}

async function failure(sending: Promise<CallOutcome>): Promise<{ code: string; data: unknown }> {
  const thrown = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(thrown instanceof DataDesignerError)) throw new Error('it was answered', { cause: thrown });
  return { code: thrown.code, data: thrown.data };
}

test('an answer to the first request has no tries', async () => {
  answer = say(200);
  expect(await send()).toEqual({ status: 200, headers: { 'content-type': 'application/json' }, body: ANSWER });
  expect(asked[0]?.url).toBe('/v1/chat/completions');
  expect(asked[0]?.headers.authorization).toBe('Bearer a-key');
});

test.each([408, 409, 425, 500, 502, 503, 504, 520, 524, 529, 599])('status %i is retried', async (status) => {
  answer = inTurn(say(status), say(200));
  const possiblyPaid = status === 408 ? 1 : 0;
  expect(await send()).toMatchObject({ status: 200, tries: { requests: 2, refused: 0, possiblyPaid } });
});

test('an answer that is too long, compressed or not, is cut off and not retried', async () => {
  const long = JSON.stringify({ choices: 'x'.repeat(200_000) });
  answer = say(200, long);
  const tooLong = { model: 'here/small', maxBytes: 1000, tries: { requests: 1, refused: 0, possiblyPaid: 1 } };
  expect(await failure(send({ maxAnswerBytes: 1000 }))).toEqual({ code: 'model/answer-too-long', data: tooLong });
  answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(gzipSync(long));
  };
  expect(await failure(send({ maxAnswerBytes: 1000 }))).toEqual({ code: 'model/answer-too-long', data: tooLong });
  expect(asked).toHaveLength(2);
  expect(await send({ maxAnswerBytes: 300_000 })).toMatchObject({ status: 200, body: long });
});

test('a timeout bounds one attempt, a deadline all of them', async () => {
  answer = inTurn(...Array.from({ length: 5 }, () => say(429, '{}', { 'retry-after': '0.1' })), say(200));
  expect(await send({ timeoutMs: 200, deadlineMs: 60_000 })).toMatchObject({ status: 200, tries: { refused: 5 } });
  answer = never;
  expect(await failure(send({ timeoutMs: 60_000, deadlineMs: 50 }))).toMatchObject({
    code: 'model/timed-out',
    data: { deadlineMs: 50, tries: { requests: 1 } },
  });
});

test('an answer without a usable choice is requested three times, and its tokens are counted', async () => {
  const none = { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } };
  answer = say(200, JSON.stringify(none));
  const outcome = await send();
  const spent = { input: 15, cachedInput: 0, output: 6 };
  expect(outcome).toMatchObject({ verdict: 'no-choice', tries: { requests: 3, possiblyPaid: 0, spent } });
  answer = inTurn(say(200, '{"choices":[]}'), say(200));
  expect(await send()).toMatchObject({ status: 200, tries: { requests: 2, possiblyPaid: 1 } });
  const broken = '{"choices":[oops],"usage":{"prompt_tokens":5,"completion_tokens":2}}';
  answer = inTurn(say(200, broken), say(200));
  const once = { input: 5, cachedInput: 0, output: 2 };
  expect(await send()).toMatchObject({ status: 200, tries: { requests: 2, possiblyPaid: 0, spent: once } });
});

test('the tokens that a refusal reports are counted, except those of a rate limit', async () => {
  const refusal = JSON.stringify({ error: { message: 'filtered' }, usage: { prompt_tokens: 5, completion_tokens: 2 } });
  const spent = { input: 5, cachedInput: 0, output: 2 };
  answer = say(400, refusal);
  expect(await send()).toMatchObject({ status: 400, tries: { requests: 1, refused: 0, possiblyPaid: 0, spent } });
  answer = inTurn(say(429, refusal), say(500, refusal), say(408, refusal), say(200));
  const twice = { input: 10, cachedInput: 0, output: 4 };
  expect(await send()).toMatchObject({ status: 200, tries: { requests: 4, possiblyPaid: 0, spent: twice } });
});

test.each([400, 401, 403, 404, 413, 422])('status %i is passed on unchanged', async (status) => {
  answer = say(status);
  expect(await send()).toMatchObject({ status });
  expect(asked).toHaveLength(1);
});

test('a call to a server that always fails ends after four requests', async () => {
  answer = say(500);
  expect(await send()).toMatchObject({ status: 500, tries: { requests: 4 } });
});

test('an endpoint that serves others gets twice as many attempts', async () => {
  answer = inTurn(say(200), ...Array.from({ length: 7 }, () => say(503)), say(200));
  await send();
  expect(await send()).toMatchObject({ status: 200, tries: { requests: 8 } });
});

test('a call waits for an endpoint that has served before and now serves nobody', async () => {
  answer = say(200);
  await send();
  answer = say(502);
  const waiting = send();
  await until(() => asked.length > 20);
  answer = say(200);
  expect(await waiting).toMatchObject({ status: 200 });
});

test('a request that fails alone is given up', async () => {
  answer = (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => say(body.includes('poison') ? 500 : 200)(request, response));
  };
  await send();
  const givenUp = new AbortController();
  const poisoned = send({ body: '{"model":"poison"}' }).finally(() => givenUp.abort());
  while (!givenUp.signal.aborted) await send();
  expect(await poisoned).toMatchObject({ status: 500 });
});

test('a 429 is waited out as often as it comes, while it has a Retry-After', async () => {
  const refusals = Array.from({ length: 9 }, () => say(429, '{}', { 'retry-after': '0.01' }));
  answer = inTurn(...refusals, say(200));
  expect(await send()).toMatchObject({ status: 200, tries: { requests: 10, refused: 9, possiblyPaid: 0 } });
});

test('an account without quota is not retried, although it answers 429', async () => {
  answer = say(429, '{"error":{"code":"insufficient_quota"}}');
  expect(await send()).toMatchObject({ status: 429 });
  expect(asked).toHaveLength(1);
});

test('a call that waits for a retry holds no permit', async () => {
  let again: (() => void) | undefined;
  const held: Answer = (...exchange) => (again = () => say(200)(...exchange));
  answer = inTurn(say(429, '{}', { 'retry-after': '0.5' }), held);
  const sending = send();
  expect(admission.inFlight).toBe(1);
  await until(() => admission.inFlight === 0);
  await until(() => again !== undefined);
  expect(admission.inFlight).toBe(1);
  again?.();
  expect((await sending).status).toBe(200);
  expect(admission.inFlight).toBe(0);
});

test('after a timeout the connection is closed, and the call is repeated once as possibly paid', async () => {
  answer = inTurn(never, say(200));
  expect(await send({ timeoutMs: 100 })).toMatchObject({ tries: { requests: 2, refused: 0, possiblyPaid: 1 } });
  await until(() => cutOff >= 1);
  answer = never;
  expect(await failure(send({ timeoutMs: 50 }))).toEqual({
    code: 'model/timed-out',
    data: { model: 'here/small', timeoutMs: 50, tries: { requests: 2, refused: 0, possiblyPaid: 2 } },
  });
  await until(() => cutOff >= 3);
  expect(admission.inFlight).toBe(0);
});

test('half an answer within the timeout counts as a timeout', async () => {
  answer = inTurn((_, response) => void response.writeHead(200).write('{"ok"'), say(200));
  expect(await send({ timeoutMs: 500 })).toMatchObject({ status: 200, tries: { possiblyPaid: 1 } });
});

test('aborting a row closes the connection of its request', async () => {
  answer = never;
  const abort = new AbortController();
  const sending = failure(send({}, { signal: abort.signal }));
  await until(() => asked.length > 0);
  abort.abort();
  expect((await sending).code).toBe('run/aborted');
  await until(() => cutOff > 0);
  expect(admission.inFlight).toBe(0);
});

test('a pause ends a waiting call with the reason of the pause, and leaves requests in flight alone', async () => {
  const pause = new AbortController();
  answer = say(429, '{}', { 'retry-after': '4' });
  const waiting = failure(send({}, { paused: pause.signal }));
  await until(() => asked.length > 0);
  let response: ServerResponse | undefined;
  answer = (_, given) => (response = given);
  const underWay = send({}, { paused: pause.signal });
  await until(() => response !== undefined);
  pause.abort(new DataDesignerError('run/budget-spent', { maxCost: 1, cost: 1 }));
  expect((await waiting).code).toBe('run/budget-spent');
  response?.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER);
  expect((await underWay).status).toBe(200);
});

test('a broken connection is retried, and a refused one is reported as unreachable', async () => {
  answer = inTurn((request) => void request.socket.destroy(), say(200));
  expect(await send()).toMatchObject({ status: 200, tries: { requests: 2, possiblyPaid: 0 } });
  const lost = addressOf(server);
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  // A call does not wait for an endpoint that has never served.
  await endpoint[Symbol.asyncDispose]();
  endpoint = new ModelEndpoint({ ...ACCESS, endpoint: lost }, POLICY);
  const { code, data } = await failure(send());
  expect(code).toBe('model/unreachable');
  expect(data).toMatchObject({ model: 'here/small', tries: { requests: 4 } });
});

test('Anthropic requests have their own path and headers', async () => {
  await endpoint[Symbol.asyncDispose]();
  endpoint = open({ protocol: protocolOf('anthropic'), extraHeaders: { 'anthropic-beta': 'x' } });
  answer = say(200);
  await send({ path: 'messages' });
  expect(asked[0]?.url).toBe('/v1/messages');
  expect(asked[0]?.headers).toMatchObject({
    'x-api-key': 'a-key',
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'x',
  });
  expect(asked[0]?.headers).not.toHaveProperty('authorization');
});

// adaptive-limit-search.test.ts checks the number of refusals, in virtual time.
test('the adaptive limit finds a server that takes 32 requests at a time', { tags: 'long' }, async () => {
  const STANDS = 32;
  let serving = 0;
  answer = (_, response) => {
    if (serving >= STANDS) return say(429)(_, response);
    serving++;
    const latencyMs = 20 + ((asked.length * 37) % 80);
    setTimeout(() => {
      serving--;
      say(200)(_, response);
    }, latencyMs);
  };
  await endpoint[Symbol.asyncDispose]();
  endpoint = open({});
  const limit = new AdaptiveLimit(128);
  admission = new Admission(limit);
  const calls = Array.from({ length: 3000 }, async (_, row) => {
    const permit = await admission.acquire(row, signal);
    return endpoint.send(
      { ...CALL, row, timeoutMs: 60_000 },
      { permit, admission, priority: row, signal, paused: signal },
    );
  });
  const outcomes = await Promise.all(calls);
  expect(outcomes.filter(({ status }) => status !== 200)).toEqual([]);
  expect(limit.size).toBeGreaterThan(0.7 * STANDS);
  expect(limit.size).toBeLessThan(1.3 * STANDS);
});

test('the timeout of an attempt does not run while its answer waits for memory', { tags: 'long' }, async () => {
  const memory = new AnswerMemory(10);
  const older = memory.open({ pause: () => {}, resume: () => {} });
  older.add(10);
  await endpoint[Symbol.asyncDispose]();
  endpoint = new ModelEndpoint({ ...ACCESS, endpoint: addressOf(server) }, POLICY, memory);
  answer = say(200);
  const sending = send({ timeoutMs: 1000 });
  await until(() => asked.length === 1);
  await sleep(1200);
  older[Symbol.dispose]();
  expect(await sending).toMatchObject({ status: 200, body: ANSWER });
  expect(asked).toHaveLength(1);
});

test('an answer that is no UTF-8 is read in the charset that it names, and bytes of none are U+FFFD', async () => {
  const text = '{"choices":[{"message":{"content":"Grüße"}}]}';
  const bytes = { utf8: Buffer.from(text), latin1: Buffer.from(text, 'latin1'), utf16: Buffer.from(text, 'utf16le') };
  const cases = [
    ['latin1', 'text/html; charset=ISO-8859-1', 'Grüße'],
    ['latin1', 'application/json; charset="windows-1252"', 'Grüße'],
    ['utf16', 'application/json;charset=utf-16', 'Grüße'],
    ['utf8', 'application/json; charset=iso-8859-1', 'Grüße'],
    ['latin1', 'application/json; charset=utf-8', 'Gr\uFFFD\uFFFDe'],
    ['latin1', 'application/json; charset=unknown-8bit', 'Gr\uFFFD\uFFFDe'],
    ['latin1', 'application/json', 'Gr\uFFFD\uFFFDe'],
  ] as const;
  for (const [encoding, type, content] of cases) {
    answer = (_, response) => void response.writeHead(200, { 'content-type': type }).end(bytes[encoding]);
    const { body } = await send();
    expect(JSON.parse(body), `${encoding} as ${type}`).toEqual({ choices: [{ message: { content } }] });
  }
});

test('a call that fails again asks what the endpoint has answered in an earlier run', async () => {
  const known = { ...CALL, row: 1, body: '{"model":"small","n":1}' };
  endpoint.servedEarlier(known, ANSWER);
  const paused = new AbortController();
  answer = (request, response) => {
    const isControl = request.headers['content-length'] === String(known.body.length);
    say(isControl ? 200 : 500)(request, response);
    if (isControl) paused.abort(new DataDesignerError('run/aborted', { reason: 'seen' }));
  };
  expect(await failure(send({}, { paused: paused.signal }))).toMatchObject({ code: 'run/aborted' });
  expect(asked.map(({ headers }) => Number(headers['content-length'])).slice(0, 3)).toEqual([17, 17, 23]);
});
