import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CallOutcome, DataDesignerError, type Resource } from '@data-designer/core';
import { failureOfOutcome } from '@data-designer/models/protocols';
import { ADMISSION_SETTINGS } from '../admission/adaptive-limit.ts';
import type { GatewayEvent } from '../gateway-event.ts';
import { ProviderRouter } from '../provider-router.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const CHAT: Resource = { id: 'model/here/small', kind: 'model', provider: 'here', limit: 4, pool: 'model/here/small' };
const OK = '{"choices":[{"message":{"content":"ok"}}]}';

let server: Server;
let answer: Answer;
let asked: IncomingMessage[];
let router: ProviderRouter;
let pauses: Extract<GatewayEvent, { type: 'model-pause' }>[];

beforeEach(async () => {
  asked = [];
  pauses = [];
  server = createServer((request, response) => {
    asked.push(request);
    request.resume();
    answer(request, response);
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

const say =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };

/** Sends each answer in turn; the last one repeats. */
function inTurn(...answers: readonly Answer[]): Answer {
  let turn = 0;
  return (...exchange) => (answers[Math.min(turn++, answers.length - 1)] as Answer)(...exchange);
}

interface Opening {
  readonly endpoint?: string;
  readonly apiKey?: string;
  readonly extraHeaders?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

const addressOf = (one: Server) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`;

function open({ endpoint = `${addressOf(server)}/v1`, environment = {}, ...given }: Opening = {}): void {
  const { apiKey = 'canary-key', extraHeaders = null } = given;
  const model = { name: 'here', endpoint, providerType: 'openai', apiKey, extraBody: null, extraHeaders };
  const providers = { models: [model], tools: [] };
  const admission = { ...ADMISSION_SETTINGS, cooldownSeconds: 0.01 };
  const options = { resources: [CHAT], providers, frozen: {}, environment, admission };
  router = new ProviderRouter(options, { onEvent: (event) => event.type === 'model-pause' && pauses.push(event) });
}

let stop = new AbortController();
beforeEach(() => {
  stop = new AbortController();
});

const ASKED = {
  resource: CHAT.id,
  path: 'chat/completions',
  body: '{}',
  column: 'a',
  call: 0,
  timeoutMs: 20_000,
} as const;

async function sent(row = 0, timeoutMs = 20_000) {
  const permit = await router.admission(CHAT.id).acquire(row, stop.signal);
  return router.send({ ...ASKED, row, timeoutMs }, { permit, signal: stop.signal });
}

const send = async (row?: number, timeoutMs?: number): Promise<CallOutcome> => (await sent(row, timeoutMs)).outcome;

async function failure(sending: Promise<unknown>): Promise<DataDesignerError> {
  const thrown = await sending.catch((reason: unknown) => reason);
  if (!(thrown instanceof DataDesignerError)) throw new Error('it was answered', { cause: thrown });
  return thrown;
}

test.each([
  ['a page', '<html>busy</html>'],
  ['nothing', ''],
  ['half an answer', OK.slice(0, 30)],
  ['an error without a status', { error: { message: 'upstream' } }],
])('%s with status 200 is retried and not journaled', { tags: 'long' }, async (_, body) => {
  open();
  answer = inTurn(say(200, body), say(200, OK));
  expect(await sent()).toMatchObject({ keep: true, outcome: { body: OK, tries: { requests: 2 } } });
});

/** A key and a certificate of this machine's loopback address. */
function makeCertificate(): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=here', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const made = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(folder, { recursive: true });
  return made;
}

const resetSocket = (socket: Socket): void => void socket.destroy();
const endSocket = (socket: Socket): void => void socket.end();

/** Writes the first 30 bytes of an answer, then ends its TLS connection with `cut`. */
const cutTo =
  (headers: Record<string, string>, cut: (socket: Socket) => void): Answer =>
  ({ socket }, response) =>
    void response.writeHead(200, headers).write(OK.slice(0, 30), () => cut(socket));

test(
  'a TLS connection that ends in the middle of an answer is a fault of transport, and the call is sent again',
  { tags: 'long' },
  async () => {
    const trusted = getCACertificates('default');
    const certificate = makeCertificate();
    setDefaultCACertificates([...trusted, certificate.cert]);
    const secure = createSecureServer(certificate, (...exchange) => {
      exchange[0].resume();
      answer(...exchange);
    });
    await new Promise<void>((resolve) => {
      secure.listen(0, '127.0.0.1', resolve);
    });
    try {
      open({ endpoint: `${addressOf(secure).replace('http:', 'https:')}/v1` });
      const length = { 'content-length': `${OK.length}` };
      const cuts = [cutTo(length, resetSocket), cutTo({}, endSocket), cutTo({ connection: 'close' }, endSocket)];
      for (const [row, cut] of cuts.entries()) {
        answer = inTurn(cut, say(200, OK));
        expect(await sent(row)).toMatchObject({ keep: true, outcome: { body: OK, tries: { requests: 2 } } });
      }
    } finally {
      setDefaultCACertificates(trusted);
      secure.closeAllConnections();
      secure.close();
    }
  },
);

test('an answer with status 200 that holds a 429 error is waited out and lowers the limit', async () => {
  open();
  const refusal = { error: { message: 'retry in 0.01s', code: 429 } };
  answer = inTurn(...Array.from({ length: 6 }, () => say(200, refusal)), say(200, OK));
  expect(await sent()).toMatchObject({ keep: true, outcome: { body: OK, tries: { requests: 7, refused: 6 } } });
  expect(router.admission(CHAT.id).limit).toBeLessThan(CHAT.limit);
});

test('an error with a refusal status in a 200 answer is treated as that refusal', async () => {
  open();
  answer = say(200, { error: { message: 'No credits', code: 402 } });
  expect(await sent()).toMatchObject({ keep: false, outcome: { status: 402 } });
  expect(asked).toHaveLength(1);
});

test('JSON is accepted whatever its content type, and compressed bodies are unpacked', async () => {
  open();
  answer = say(200, OK, { 'content-type': 'text/plain' });
  expect(await sent()).toMatchObject({ keep: true, outcome: { body: OK } });
  answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(gzipSync(OK));
  };
  expect(await sent()).toMatchObject({ keep: true, outcome: { body: OK } });
});

test.each([403, 404])(
  'status %i concerns one request only after the first answer',
  { tags: 'long' },
  async (status) => {
    open();
    answer = say(status, {});
    expect(await send()).not.toHaveProperty('verdict');
    answer = say(200, OK);
    await send();
    answer = say(status, {});
    expect(await send()).toMatchObject({ status, verdict: 'about-this' });
  },
);

test('after an answer in an earlier run, a 403 concerns one request only', async () => {
  open();
  router.servedEarlier({ ...ASKED, row: 1 }, { status: 200, headers: {}, body: OK });
  answer = say(403, {});
  expect(await send(0, 200)).toMatchObject({ verdict: 'about-this' });
});

test('"quota exceeded" with a time to retry is waited out', async () => {
  open();
  const body = { error: { code: 429, message: 'Quota exceeded for requests per minute. Please retry in 0.01s.' } };
  answer = inTurn(say(429, body), say(429, body), say(200, OK));
  expect(await send()).toMatchObject({ status: 200, tries: { requests: 3 } });
});

test('an absent endpoint fails one call after its retries and the others at once, without a request', async () => {
  open({ endpoint: 'http://127.0.0.1:1/v1' });
  const first = await failure(send(0, 1500));
  expect(first).toMatchObject({ code: 'model/unreachable', data: { forAll: true } });
  expect(first.message).toContain('has never responded: connect ECONNREFUSED 127.0.0.1:1.');
  const rest = await Promise.all(Array.from({ length: 100 }, (_, row) => failure(send(row))));
  for (const { data } of rest) expect(data).toMatchObject({ forAll: true, tries: { requests: 0 } });
  expect(router.admission(CHAT.id).inFlight).toBe(0);
});

test('a connection that ends after the headers is an answer that broke off, and the endpoint does not count as absent', async () => {
  open();
  answer = ({ socket }, response) => {
    response.writeHead(200, { 'content-length': `${OK.length}` });
    response.write(OK.slice(0, 9), () => void socket.destroy());
  };
  const { data, message } = await failure(send(0, 1000));
  expect(data).toMatchObject({ status: 200 });
  expect(data).not.toHaveProperty('forAll');
  expect(message).toMatch(/'here\/small' broke off its answer after the status 200: other side closed\. Look at/);
});

test('https:// in front of an http port is named, with what to write', async () => {
  open({ endpoint: `${addressOf(server).replace('http:', 'https:')}/v1` });
  const { message } = await failure(send(0, 1000));
  expect(message).toContain('cannot be reached: it speaks http and not https. Write http:// in place of https://');
});

test('an endpoint that has answered, even with a refusal, does not count as absent', async () => {
  open();
  answer = inTurn(say(400, {}), (request) => void request.socket.destroy());
  await send();
  const { code, data } = await failure(send(1, 1000));
  expect(code).toBe('model/unreachable');
  expect(data).not.toHaveProperty('forAll');
});

test.each([429, 503])(
  'a wait longer than a call may take ends every call, with the time to come back: %i',
  async (status) => {
    open();
    answer = say(status, { error: { message: 'The day is over: canary-key' } }, { 'retry-after': '100000' });
    const failures = await Promise.all(Array.from({ length: 50 }, (_, row) => failure(send(row, 300))));
    for (const { code, data } of failures) {
      expect(code).toBe('model/asked-to-wait');
      expect(data).toMatchObject({
        model: 'here/small',
        forAll: true,
        waitSeconds: 100_000,
        server: new URL(addressOf(server)).host,
      });
    }
    expect(asked.length).toBeLessThanOrEqual(CHAT.limit);
    const [until = 0] = failures.map(({ data }) => Date.parse((data as { until: string }).until));
    expect(Math.abs(until - Date.now() - 100_000_000)).toBeLessThan(60_000);
  },
);

test.each([
  [429, '0.6'],
  [503, '0.6'],
  [429, '0.2'],
])(
  'a wait of minutes that ends after the time of a call is waited for: %i, %s s',
  { tags: 'long' },
  async (status, wait) => {
    open();
    answer = inTurn(say(status, {}, { 'retry-after': '0.25' }), say(status, {}, { 'retry-after': wait }), say(200, OK));
    expect(await send(0, 400)).toMatchObject({ status: 200, tries: { requests: 3 } });
  },
);

test.each([
  [429, '0.15'],
  [503, '0.4'],
])('a run that ends because no wait helped has the time to come back: %i', { tags: 'long' }, async (status, wait) => {
  open();
  answer = say(status, { error: { message: 'busy' } }, { 'retry-after': wait });
  const begun = Date.now();
  const ends = await Promise.allSettled(Array.from({ length: 20 }, (_, row) => send(row, 400)));
  const limits = { model: 'm', timeoutMs: 400, form: undefined };
  for (const end of ends) {
    const { data, message } =
      end.status === 'fulfilled' ? failureOfOutcome(end.value, limits) : (end.reason as DataDesignerError);
    expect(data).toMatchObject({ forAll: true });
    const until = Date.parse(/asked to wait until ([^ ]+Z)\./.exec(message)?.[1] ?? '');
    expect(until).toBeGreaterThan(begun);
    expect(until).toBeLessThan(Date.now() + 1000);
  }
});

test('a wait of decades is not meant', async () => {
  open();
  answer = inTurn(say(503, {}, { 'retry-after': '999999999' }), say(200, OK));
  expect(await send()).toMatchObject({ status: 200 });
});

test('a request still in flight keeps the model from being given up', async () => {
  open();
  let first: ServerResponse | undefined;
  answer = inTurn((_, response) => (first = response), say(429, {}, { 'retry-after': '0.02' }));
  const served = send(0);
  await expect.poll(() => first).toBeDefined();
  const refused = await Promise.all([1, 2, 3].map((row) => send(row, 300)));
  expect(refused.map(({ status, verdict }) => [status, verdict])).toEqual(refused.map(() => [429, undefined]));
  if (first) say(200, OK)({} as IncomingMessage, first);
  expect(await served).toMatchObject({ status: 200 });
});

test('a call that waits for a retry fails too, and sends nothing more', async () => {
  open();
  answer = say(429, {}, { 'retry-after': '0.02' });
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, row) => send(row, 400)));
  expect(outcomes.every(({ status }) => status === 429)).toBe(true);
  expect(outcomes.filter(({ verdict }) => verdict === 'about-all').length).toBeGreaterThan(10);
  const before = asked.length;
  await send(99);
  expect(asked).toHaveLength(before);
});

test('a long pause is reported with the message of the endpoint and without the key', async () => {
  open();
  answer = say(429, { error: { message: 'Too much of canary-key.' } }, { 'retry-after': '15' });
  const sending = failure(send(0, 12_000));
  await expect.poll(() => pauses).toHaveLength(1);
  stop.abort();
  expect(await sending).toMatchObject({ code: 'run/aborted' });
  expect(pauses[0]).toMatchObject({ model: 'here/small', reason: 'Too much of [secret]' });
  expect(pauses[0]?.waitMs).toBeGreaterThan(14_000);
});

test('a redirect is not followed or retried, and the outcome names its target', async () => {
  open();
  answer = (_, response) => void response.writeHead(308, { location: 'https://elsewhere.example/v1' }).end();
  expect(await send()).toMatchObject({ status: 308, headers: { location: 'https://elsewhere.example/v1' } });
  await send(1);
  expect(asked).toHaveLength(1);
});

test.each([
  ['a wrong key', say(401, { error: { message: 'no' } }), 401],
  ['half an answer', say(200, OK.slice(0, 30)), 200],
  ['a redirect', say(307, '', { location: '/v2/chat/completions' }), 307],
])('the outcome of %s names the provider and the address, and not the key', async (_, refusal, status) => {
  open();
  answer = refusal;
  const { status: got, sent: carried } = await send(0, 300);
  expect(got).toBe(status);
  expect(carried).toBe(
    `the model name 'small' and the api_key of the provider 'here' as it is written there (no environment variable has that name) to ${addressOf(server)}/v1/chat/completions (provider 'here')`,
  );
});

test('the query of an endpoint is part of every request', async () => {
  open({ endpoint: `${addressOf(server)}/d/x?api-version=2024-06-01` });
  answer = say(200, OK);
  await send();
  expect(asked[0]?.url).toBe('/d/x/chat/completions?api-version=2024-06-01');
});

test('whitespace around a key is ignored', async () => {
  open({ apiKey: 'HERE', environment: { HERE: ' canary-key\n' } });
  answer = say(400, 'not with canary-key');
  expect(await send()).toMatchObject({ body: 'not with [secret]' });
  expect(asked[0]?.headers.authorization).toBe('Bearer canary-key');
});

test('an invalid header is reported before the first request', async () => {
  expect(() => open({ extraHeaders: { 'x-bad': 'a\nb' } })).toThrow(/the header "x-bad" in its extra_headers/);
  expect(() => open({ apiKey: 'sk-ä' })).toThrow(/Model provider 'here' cannot be used: its api_key/);
  open();
});

test('variables in headers are filled in, redacted, and required before the first request', async () => {
  const extraHeaders = { 'x-team': 'team ${TEAM_KEY}' };
  expect(() => open({ extraHeaders })).toThrow(/Model provider 'here' \(extra_headers.x-team\).*TEAM_KEY/);
  open({ extraHeaders, environment: { TEAM_KEY: 'team-canary' } });
  answer = say(401, { error: { message: 'team-canary is unknown' } });
  expect(await send()).toMatchObject({ body: expect.not.stringContaining('team-canary') as string });
  expect(asked[0]?.headers).toMatchObject({ 'x-team': 'team team-canary' });
});

test('a variable that holds no secret, such as the path of programs, is not redacted', async () => {
  const extraHeaders = { accept: '${PATH}' };
  open({ extraHeaders, environment: { PATH: '/usr/local/bin:/usr/bin' } });
  answer = say(400, { error: { message: 'no such file: /usr/local/bin/tool' } });
  expect(await send()).toMatchObject({ body: expect.stringContaining('/usr/local/bin/tool') as string });
});

test('requests to other hosts go through the proxy of the environment, with key and body', async () => {
  open({ endpoint: 'http://models.example/v1', environment: { http_proxy: addressOf(server) } });
  answer = say(200, OK);
  const outcomes = await Promise.all(Array.from({ length: 4 }, (_, row) => send(row)));
  expect(outcomes.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(asked[0]?.url).toBe('http://models.example/v1/chat/completions');
  expect(asked[0]?.headers).toMatchObject({ host: 'models.example', authorization: 'Bearer canary-key' });
});

test('HTTPS requests go through a tunnel of the proxy', async () => {
  const wanted = new Promise<string | undefined>((resolve) => {
    server.on('connect', (request, socket) => {
      resolve(request.url);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
  });
  open({ endpoint: 'https://models.example/v1', environment: { HTTPS_PROXY: addressOf(server) } });
  const sending = failure(send(0, 500));
  expect(await wanted).toBe('models.example:443');
  expect(await sending).toMatchObject({ code: 'model/unreachable' });
});
