import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Call, WEB } from '@data-designer/core';
import { guardedRequest } from '../../../config/src/fetch/guarded-request.ts';
import { Admission } from '../admission/admission.ts';
import { fixedLimit } from '../admission/permit-source.ts';
import { type GuardedWeb, WebReader } from './web-reader.ts';

const BYTES = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]);
const WEB_OF_CONFIG: GuardedWeb = {
  request: guardedRequest,
  reason: (thrown) => (thrown instanceof Error ? thrown.message : String(thrown)),
};
const POLICY = { baseMs: 1, maxMs: 2, maxAttempts: 3 };

let server: Server;
let origin: string;
let asked: string[];
let connections: number;

const ANSWERS: Readonly<Record<string, RequestListener>> = {
  '/a.png': (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(BYTES),
  '/moved.png': (_, response) => response.writeHead(302, { location: '/a.png' }).end(),
  '/away.png': (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/a.png' }).end(),
  '/long.png': (_, response) => response.writeHead(200).end(Buffer.alloc(101)),
  '/silent.png': () => {},
  '/page.png': (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('<html>busy</html>'),
  '/empty.png': (_, response) => response.writeHead(200).end(),
  '/busy.png': (_, response) => {
    response.writeHead(200).end(asked.length > 1 ? BYTES : '<!DOCTYPE html><p>busy');
  },
  '/day.png': (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
  '/soon.png': (_, response) => {
    if (asked.length > 1) return void response.writeHead(200).end(BYTES);
    response.writeHead(503, { 'retry-after': '0.3' }).end();
  },
  '/torn.png': (request, response) => {
    if (asked.length > 1) return void response.writeHead(200).end(BYTES);
    request.socket.destroy();
  },
};

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const answer = ANSWERS[request.url ?? ''];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  asked = [];
  connections = 0;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const signal = new AbortController().signal;

async function download(url: string, { allowPrivate = true, timeoutMs = 5000 } = {}) {
  const admission = new Admission(fixedLimit(2));
  const permit = await admission.acquire(0, signal);
  const body = JSON.stringify({ url, maxBytes: 100 });
  const call: Call = { resource: WEB, path: 'download', body, timeoutMs, row: 0, column: 'a', call: 0 };
  const reader = new WebReader(WEB_OF_CONFIG, { allowPrivate, policy: POLICY });
  const outcome = await reader.send(call, { permit, admission, priority: 0, signal, paused: signal });
  expect(admission.inFlight).toBe(0);
  return outcome;
}

test('a file arrives as Base64 with its media type, also after a redirect', async () => {
  const expected = { status: 200, headers: { 'content-type': 'image/png' }, body: BYTES.toString('base64') };
  expect(await download(`${origin}/a.png`)).toEqual(expected);
  expect(await download(`${origin}/moved.png`)).toEqual(expected);
});

test('the reader opens no connection to a private address unless that is allowed', async () => {
  const { status, body } = await download(`${origin}/a.png`, { allowPrivate: false });
  expect(status).toBe(502);
  expect(body).toMatch(/is on this machine or its network/);
  expect(connections).toBe(0);
});

test.each([
  ['/away.png', /has an address that cannot be used/],
  ['/long.png', /^the content is larger than 100 bytes$/],
  ['/absent.png', /404/],
  ['file:///etc/passwd', /, not file:\/\//],
  ['http://user:word@127.0.0.1/a.png', /contains a user name or a password/],
  ['not an address', /^it is not a valid address$/],
])('%s is rejected with a reason after at most one request', async (path, reason) => {
  const { status, body } = await download(path.startsWith('/') ? `${origin}${path}` : path);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(body).toMatch(reason);
  expect(asked.length).toBeLessThanOrEqual(1);
});

test('a broken connection is retried', async () => {
  expect(await download(`${origin}/torn.png`)).toMatchObject({ status: 200, tries: { requests: 2 } });
});

test('a server that never answers times out', async () => {
  const { status, body } = await download(`${origin}/silent.png`, { timeoutMs: 60 });
  expect(status).toBe(504);
  expect(body).toBe('the download took longer than 0.06 seconds');
});

test('a page or nothing in place of a file is asked for again, and never taken as the file', async () => {
  expect(await download(`${origin}/busy.png`)).toMatchObject({ status: 200, body: BYTES.toString('base64') });
  expect(asked).toHaveLength(2);
  expect(await download(`${origin}/page.png`)).toMatchObject({ status: 502, body: 'the server responded with a page' });
  expect(await download(`${origin}/empty.png`)).toMatchObject({
    status: 502,
    body: 'the server responded with nothing',
  });
  expect(asked).toHaveLength(2 + 2 * POLICY.maxAttempts);
});

test('a wait longer than a download may take is waited for, and one of an hour ends the run', async () => {
  expect(await download(`${origin}/soon.png`, { timeoutMs: 200 })).toMatchObject({ status: 200 });
  expect(asked).toHaveLength(2);
  await expect(download(`${origin}/day.png`)).rejects.toMatchObject({
    code: 'model/picture-not-yet',
    data: { server: new URL(origin).host, status: 429, waitSeconds: 3600, forAll: true },
  });
  expect(asked).toHaveLength(3);
});
