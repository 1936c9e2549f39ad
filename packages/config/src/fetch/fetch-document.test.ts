import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { isFailure } from '@data-designer/core';
import { fetchDocument, type FetchOptions } from './fetch-document.ts';

const MIB = 1_048_576;
const DOCUMENT = 'columns: []\n';

let server: Server;
let origin: string;
let asked: IncomingMessage[];
let connections: number;

/** The handlers of the server, by path. */
const ANSWERS: Readonly<Record<string, RequestListener>> = {
  '/good.yaml': (_, response) => response.end(DOCUMENT),
  '/marked.yml': (_, response) => response.end(`\uFEFF${DOCUMENT}`),
  '/login.yaml': (_, response) => response.writeHead(401).end(),
  '/forbidden.yaml': (_, response) => response.writeHead(403).end(),
  '/broken.yaml': (_, response) => response.writeHead(500).end(),
  '/part.yaml': (_, response) => response.writeHead(206).end(DOCUMENT),
  '/lost.yaml': (_, response) => response.writeHead(302).end(),
  '/exact.json': (_, response) => response.end('x'.repeat(MIB)),
  '/long.json': (_, response) => response.end('x'.repeat(MIB + 1)),
  '/announced.json': (_, response) => response.writeHead(200, { 'content-length': MIB + 1 }).flushHeaders(),
  '/endless.json': (_, response) => {
    const more = (): void => {
      while (response.write('x'.repeat(65_536)));
      response.once('drain', more);
    };
    more();
  },
  '/packed.yaml': (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
  '/latin.yaml': (_, response) => response.end(Buffer.from([0x61, 0xe9, 0x62])),
  '/torn.yaml': (_, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write(DOCUMENT, () => response.destroy());
  },
  '/silent.yaml': () => undefined,
  '/stuck.yaml': (_, response) => response.writeHead(200).write(DOCUMENT),
  '/cookie.yaml': (_, response) =>
    response.writeHead(307, { location: '/good.yaml', 'set-cookie': 'session=1; Path=/' }).end(),
  '/to': (request, response) => {
    const location = new URL(request.url ?? '', origin).searchParams.get('location') ?? '';
    response.writeHead(302, { location }).end('moved');
  },
};

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request);
    const { pathname } = new URL(request.url ?? '', origin);
    const redirects = /^\/hops-(\d+)\.yaml$/.exec(pathname)?.[1];
    if (redirects !== undefined) {
      const location = redirects === '1' ? 'good.yaml' : `hops-${Number(redirects) - 1}.yaml`;
      response.writeHead(301, { location }).end();
      return;
    }
    const answer = ANSWERS[pathname.startsWith('/to/') ? '/to' : pathname];
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

const near = (path: string, options: FetchOptions = {}) =>
  fetchDocument(`${origin}${path}`, { allowPrivate: true, ...options });

const redirectTo = (location: string): string => `/to/there.yaml?location=${encodeURIComponent(location)}`;

/** The path and reason of the failure to fetch. */
async function refusal(fetching: Promise<string>): Promise<{ path: string; reason: string }> {
  const thrown = await fetching.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!isFailure(thrown, 'config/unreadable')) throw new Error('it was fetched', { cause: thrown });
  return thrown.data;
}

test('fetchDocument returns the text of a document without its byte order mark', async () => {
  expect(await near('/good.yaml')).toBe(DOCUMENT);
  expect(await near('/good.yaml?token=1#part')).toBe(DOCUMENT);
  expect(await near('/marked.yml')).toBe(DOCUMENT);
  expect(await near('/x/../good.yaml')).toBe(DOCUMENT);
});

test('fetchDocument does not connect to a local server, by address or by name, unless allowed', async () => {
  const { port } = server.address() as AddressInfo;
  for (const host of ['127.0.0.1', 'localhost', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', '0']) {
    const { reason } = await refusal(fetchDocument(`http://${host}:${port}/good.yaml`));
    expect(reason).toMatch(/is on this machine or its network|cannot be used/);
  }
  expect(connections).toBe(0);
  expect(await fetchDocument(`http://localhost:${port}/good.yaml`, { allowPrivate: true })).toBe(DOCUMENT);
  expect(connections).toBe(1);
});

test.each([
  ['/login.yaml', /requires a login \(401\)/],
  ['/forbidden.yaml', /denied access \(403\)/],
  ['/absent.yaml', /has no file at this address \(404\)/],
  ['/broken.yaml', /^the server responded with status 500$/],
  ['/part.yaml', /^the server responded with status 206$/],
  ['/lost.yaml', /^the server responded with status 302$/],
  ['/long.json', /^the content is larger than 1048576 bytes$/],
  ['/announced.json', /^the content is larger than 1048576 bytes$/],
  ['/endless.json', /^the content is larger than 1048576 bytes$/],
  ['/packed.yaml', /^the server sent the content encoding 'gzip', which is not supported$/],
  ['/latin.yaml', /^it is not UTF-8 text$/],
  ['/torn.yaml', /^the server closed the connection$/],
])('fetchDocument says why it does not read %s', async (path, reason) => {
  expect(await refusal(near(path))).toEqual({ path: `${origin}${path}`, reason: expect.stringMatching(reason) });
});

test('fetchDocument reads a document of exactly 1 MiB', async () => {
  expect(await near('/exact.json')).toHaveLength(MIB);
});

test.each(['/silent.yaml', '/stuck.yaml'])('the request for %s times out', async (path) => {
  const { reason } = await refusal(near(path, { timeoutMs: 100 }));
  expect(reason).toBe('the download took longer than 0.1 seconds');
});

test('fetchDocument follows five redirects but not a sixth', async () => {
  expect(await near('/hops-5.yaml')).toBe(DOCUMENT);
  expect((await refusal(near('/hops-6.yaml'))).reason).toBe('the server redirected more than 5 times');
  // A request of the tests before, which time out, may arrive late.
  expect(asked.filter(({ url = '' }) => /hops|good/.test(url))).toHaveLength(12);
});

test.each([
  ['http://169.254.169.254/latest/meta-data.yaml', /has an address that cannot be used/],
  ['http://[::ffff:127.0.0.1]/a.yaml', /has an address that cannot be used/],
  ['http://user:secret@127.0.0.1/a.yaml', /contains a user name or a password/],
  ['file:///etc/hosts.yaml', /, not file:\/\//],
  ['ftp://example.org/a.yaml', /, not ftp:\/\//],
  ['data:text/plain,columns', /, not data:\/\//],
  ['http://[bad/a.yaml', /invalid address/],
])('fetchDocument does not follow a redirect to %s', async (location, reason) => {
  const refused = await refusal(near(redirectTo(location)));
  expect(refused).toEqual({ path: `${origin}/to/there.yaml`, reason: expect.stringMatching(reason) });
  expect(asked).toHaveLength(1);
});

test('requests send no cookies or credentials and accept no compression, even after a redirect', async () => {
  expect(await near('/cookie.yaml')).toBe(DOCUMENT);
  const sent = asked.map(({ headers }) => Object.keys(headers).toSorted());
  const expected = ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'];
  expect(sent).toEqual([expected, expected]);
  expect(asked[0]?.headers['accept-encoding']).toBe('identity');
  expect(connections).toBe(2);
});

test.each([
  ['https://example.org/config.toml', /does not end in \.yaml, \.yml or \.json/],
  ['https://example.org/', /does not end in/],
  ['https://example.org/a?b=.yaml', /does not end in/],
  ['ftp://example.org/a.yaml', /^addresses must start with https:\/\/ or http:\/\/, not ftp:\/\/$/],
  ['file:///etc/hosts.yaml', /, not file:\/\//],
  ['https://user:secret@example.org/a.yaml', /contains a user name or a password/],
  ['https://user@github.com/acme/sets/blob/main/a.yaml', /contains a user name or a password/],
  ['https://[bad/a.yaml', /^it is not a valid address$/],
  ['http://10.0.0.1/a.yaml', /is on this machine or its network/],
  ['http://169.254.169.254/a.yaml', /has an address that cannot be used/],
  ['http://nowhere.invalid/a.yaml', /^the server name 'nowhere\.invalid' cannot be resolved$/],
])('fetchDocument refuses %s before it sends a request', async (address, reason) => {
  expect((await refusal(fetchDocument(address))).reason).toMatch(reason);
});

test('a failure does not repeat the secrets of an address', async () => {
  const thrown = await near('/absent.yaml?token=secret#secret').catch(String);
  expect(thrown).toContain('/absent.yaml: the server has no file at this address');
  expect(thrown).not.toContain('secret');
});

test('the error says that nothing answers if no server listens', async () => {
  const gone = createServer();
  await new Promise<void>((resolve) => {
    gone.listen(0, '127.0.0.1', resolve);
  });
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => {
    gone.close(resolve);
  });
  for (const host of ['127.0.0.1', 'localhost']) {
    const { reason } = await refusal(fetchDocument(`http://${host}:${port}/a.yaml`, { allowPrivate: true }));
    expect(reason).toBe('no server is listening at this address');
  }
});
