import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { fetchReason, FetchRefusal } from './fetch-refusal.ts';
import { type GuardedRequestOptions, guardedRequest, redirectTarget, type RequestContent } from './guarded-request.ts';
import { readBody } from './read-body.ts';

let servers: Server[] = [];

afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
});

/** Starts a server and returns its origin. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ask = (address: string, asking: Partial<GuardedRequestOptions> = {}) =>
  guardedRequest(new URL(address), { allowPrivate: true, signal: new AbortController().signal, ...asking });

/** Why a request, or reading its response, fails. */
async function reasonOf(work: Promise<unknown>): Promise<{ reason: string; mayPass: boolean | undefined }> {
  const thrown: unknown = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return { reason: fetchReason(thrown), mayPass: thrown instanceof FetchRefusal ? thrown.mayPass : undefined };
}

const authorization = 'Bearer secret';

/** Responds with the headers of the request. */
const echo: RequestListener = ({ headers }, response) => response.end(JSON.stringify(headers));

test('guardedRequest returns a response of any status with the address it came from', async () => {
  const origin = await serve((request, response) => {
    if (request.url === '/a') response.writeHead(307, { location: '/b?c=d' }).end();
    else response.writeHead(418).end('short and stout');
  });
  const { response, url } = await ask(`${origin}/a`);
  expect([response.statusCode, url.href, await readBody(response)]).toEqual([
    418,
    `${origin}/b?c=d`,
    'short and stout',
  ]);
});

test('credentials go to their own origin, even after a redirect, along with other headers', async () => {
  const origin = await serve((request, response) => {
    if (request.url === '/a') response.writeHead(302, { location: '/b' }).end();
    else echo(request, response);
  });
  const { response } = await ask(`${origin}/a`, {
    credentials: { origin, authorization },
    headers: { range: 'bytes=1-' },
  });
  expect(JSON.parse(await readBody(response))).toMatchObject({ authorization, range: 'bytes=1-' });
});

test('credentials do not go to another port, directly or by redirect, nor back to their origin from there', async () => {
  const home = await serve(echo);
  const away = await serve((request, response) => {
    if (request.url === '/home') response.writeHead(302, { location: `${home}/again` }).end();
    else echo(request, response);
  });
  const start = await serve((request, response) => {
    response.writeHead(302, { location: `${away}${request.url}` }).end();
  });
  const credentials = { origin: home, authorization };
  const ways = [ask(`${away}/x`, { credentials }), ask(`${away}/home`, { credentials })];
  for (const way of ['/x', '/home'])
    ways.push(ask(`${start}${way}`, { credentials: { origin: start, authorization } }));
  for (const { response } of await Promise.all(ways)) {
    const headers = JSON.parse(await readBody(response)) as Record<string, string>;
    expect(headers).toMatchObject({ host: expect.any(String) });
    expect(headers).not.toHaveProperty('authorization');
  }
});

test('a request times out if the server is silent before or during its response', async () => {
  const silent = await serve(() => undefined);
  const stuck = await serve((_, response) => response.writeHead(200).write('x'));
  const reading = ask(stuck, { idleMs: 50 }).then(({ response }) => readBody(response));
  for (const work of [ask(silent, { idleMs: 50 }), reading])
    expect(await reasonOf(work)).toEqual({ reason: 'the server sent nothing for 0.05 seconds', mayPass: true });
});

test('guardedRequest reports a broken connection and marks a refused address as permanent', async () => {
  const broken = await serve((_, response) => response.destroy());
  const { reason } = await reasonOf(ask(broken));
  expect(reason).toBe('the server closed the connection');
  expect(await reasonOf(ask(broken, { allowPrivate: false }))).toMatchObject({ mayPass: false });
  expect(await reasonOf(ask('http://nowhere.invalid'))).toMatchObject({ mayPass: expect.any(Boolean) });
});

test('readBody reads up to 1 MiB or to the given length', async () => {
  const origin = await serve((_, response) => response.end('x'.repeat(2_000_000)));
  const [short, long] = await Promise.all([ask(origin), ask(origin)]);
  expect(await reasonOf(readBody(short.response))).toMatchObject({
    reason: 'the content is larger than 1048576 bytes',
  });
  expect(await readBody(long.response, 2_000_000)).toHaveLength(2_000_000);
});

/** Content whose file vanishes while it is read. */
async function* unreadable(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('ab');
  throw new Error('the file is gone');
}

test('guardedRequest sends the content of a PUT, also after a redirect, and reports unreadable content', async () => {
  const origin = await serve((request, response) => {
    if (request.url === '/moved') response.writeHead(307, { location: '/put' });
    response.write(`${request.method} ${request.headers['content-length']} `);
    request.on('data', (part) => response.write(part)).on('end', () => response.end());
  });
  const opened: string[] = [];
  const sends: RequestContent = {
    method: 'PUT',
    bytes: 4,
    open: () => {
      opened.push('again');
      return [Buffer.from('ab'), Buffer.from('cd')];
    },
  };
  const { response } = await ask(`${origin}/moved`, { sends });
  expect(await readBody(response)).toBe('PUT 4 abcd');
  expect(opened).toHaveLength(2);
  await expect(ask(`${origin}/moved`, { sends: { ...sends, open: unreadable } })).rejects.toThrow('the file is gone');
});

test('guardedRequest resends a POST body on a 307 redirect and does not follow a 302', async () => {
  const origin = await serve((request, response) => {
    if (request.url === '/kept') return void response.writeHead(307, { location: '/end' }).end();
    if (request.url === '/lost') return void response.writeHead(302, { location: '/end' }).end();
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => response.end(`${request.method} ${request.headers['content-type']} ${body}`));
  });
  const post = '{"a":"é"}';
  const kept = await ask(`${origin}/kept`, { post });
  expect(await readBody(kept.response)).toBe(`POST application/json ${post}`);
  const lost = await ask(`${origin}/lost`, { post });
  expect([lost.response.statusCode, lost.url.pathname]).toEqual([302, '/lost']);
  lost.response.destroy();
});

test.each([
  ['b.yaml', 'http://example.org/x/b.yaml'],
  ['/b.yaml', 'http://example.org/b.yaml'],
  ['//example.com/b.yaml', 'http://example.com/b.yaml'],
  ['https://example.com/b.yaml', 'https://example.com/b.yaml'],
  ['file:///b.yaml', 'file:///b.yaml'],
])('a redirect from http to %s leads to %s', (location, target) => {
  expect(redirectTarget(location, new URL('http://example.org/x/a.yaml')).href).toBe(target);
});

test('redirectTarget refuses a redirect from https to http, even on the same server', () => {
  const from = new URL('https://example.org/a.yaml');
  expect(() => redirectTarget('http://example.org/a.yaml', from)).toThrow('from https to unencrypted http');
  expect(redirectTarget('//example.com/b.yaml', from).href).toBe('https://example.com/b.yaml');
});

test('redirectTarget refuses an invalid address', () => {
  expect(() => redirectTarget('http://[bad', new URL('http://example.org/'))).toThrow(
    'redirects to an invalid address',
  );
});
