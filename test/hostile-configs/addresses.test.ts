import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createPlainServer } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { isFailure } from '@data-designer/core';
import { readSource } from '../../packages/config/src/builder/read-source.ts';
import type { FetchOptions } from '../../packages/config/src/fetch/fetch-document.ts';

// A config at an address is data from strangers (DESIGN, "What a dataset config may do"): one case per way to misuse it.

const nest = (opening: string, closing: string): string => `a: ${opening.repeat(5000)}${closing.repeat(5000)}`;

const bomb = [
  'l0: &l0 [x]',
  ...Array.from({ length: 20 }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n}, `.repeat(9)}*l${n}]`),
].join('\n');

/** What a stranger's server sends as a document. */
const DOCUMENTS: Readonly<Record<string, string | Buffer>> = {
  'good.yaml': 'columns: []',
  'address.yaml': 'http://169.254.169.254/latest.yaml',
  'quoted-path.yaml': "'/etc/passwd.yaml'",
  'bomb.yaml': bomb,
  'circle.yaml': 'a: &a [*a]',
  'merge-circle.yaml': 'a: &a {<<: *a}',
  'lists.yaml': nest('[', ']'),
  'mappings.yaml': nest('{b: ', '}'),
  'blocks.yaml': Array.from({ length: 600 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'),
  'lists.json': `{"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  'binary.yaml': Buffer.from(Array.from({ length: 256 }, (_, n) => n)),
  'utf-16.yaml': Buffer.from('columns: []', 'utf16le'),
  'page.yaml': '<!doctype html><html><body>Sign in</body></html>',
  'tag.yaml': 'a: !!js/function "function () {}"\nb',
};

let server: Server;
let origin: string;
let asked: IncomingMessage[];

const answer: RequestListener = (request, response) => {
  asked.push(request);
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const location = searchParams.get('to');
  const document = DOCUMENTS[pathname.slice(1)];
  if (location !== null) response.writeHead(302, { location }).end();
  else if (document !== undefined) response.end(document);
  else response.writeHead(404).end();
};

beforeAll(async () => {
  server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  asked = [];
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Why an address is not read. */
async function reasonFor(address: string, options: FetchOptions = { allowPrivate: true }): Promise<string> {
  const thrown = await readSource(address, options).catch((failure: unknown) => failure);
  if (!isFailure(thrown, 'config/unreadable')) throw new Error('it was read', { cause: thrown });
  return thrown.data.reason;
}

/** Serves bytes as they are, whatever HTTP says of them. */
async function openRaw(serve: (write: (text: string) => void) => void) {
  const raw = createPlainServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => serve((text) => void (socket.destroyed || socket.write(text))));
  });
  await new Promise<void>((resolve) => {
    raw.listen(0, '127.0.0.1', resolve);
  });
  const { port } = raw.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/config.yaml`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void raw.close(() => resolve())),
  };
}

test.each([
  ['this machine', '127.0.0.1'],
  ['this machine, in one number', '2130706433'],
  ['this machine, in octal', '0177.0.0.1'],
  ['this machine, in short', '127.1'],
  ['this machine, by name', 'localhost'],
  ['this machine, in IPv6', '[::1]'],
  ['this machine, in IPv6 around IPv4', '[::ffff:7f00:1]'],
  ['this machine, behind a translator', '[64:ff9b::7f00:1]'],
  ['no machine in particular', '0.0.0.0'],
  ['no machine in particular, in IPv6', '[::]'],
  ['a network of its own', '192.168.0.1'],
  ['keys of a cloud', '169.254.169.254'],
])('an address that names %s is not asked', async (_, host) => {
  const { port } = server.address() as AddressInfo;
  expect(await reasonFor(`http://${host}:${port}/good.yaml`, {})).toMatch(
    /is on this machine or its network|cannot be used/,
  );
  expect(asked).toHaveLength(0);
});

test.each([
  ['the keys of a cloud', 'http://169.254.169.254/latest.yaml', 'has an address that cannot be used'],
  ['a file', 'file:///etc/passwd', ', not file://'],
  ['another protocol', 'gopher://127.0.0.1:70/_x', ', not gopher://'],
  ['an address with a password', 'http://user:word@127.0.0.1/', 'contains a user name or a password'],
])('a redirect to %s is not followed', async (_, location, reason) => {
  expect(await reasonFor(`${origin}/x.yaml?to=${encodeURIComponent(location)}`)).toContain(reason);
  expect(asked).toHaveLength(1);
});

test('a redirect to itself comes to an end', async () => {
  expect(await reasonFor(`${origin}/x.yaml?to=`)).toContain('redirected more than 5 times');
  expect(asked).toHaveLength(6);
});

test('an address within a fetched document is text: it is not asked', async () => {
  expect(await reasonFor(`${origin}/address.yaml`)).toBe('it must be a mapping of keys to values');
  expect(await reasonFor(`${origin}/quoted-path.yaml`)).toBe('it must be a mapping of keys to values');
  expect(asked).toHaveLength(2);
});

test.each(['bomb.yaml', 'circle.yaml', 'merge-circle.yaml'])('%s is refused instead of unfolded', async (name) => {
  expect(await reasonFor(`${origin}/${name}`)).toMatch(/alias|nested/i);
});

test.each(['lists.yaml', 'mappings.yaml', 'blocks.yaml', 'lists.json'])(
  '%s is too deep to be read',
  { tags: 'long' },
  async (name) => {
    expect(await reasonFor(`${origin}/${name}`)).toContain('nested');
  },
);

test.each(['binary.yaml', 'utf-16.yaml', 'page.yaml', 'tag.yaml'])('%s is said to be unreadable', async (name) => {
  expect(await reasonFor(`${origin}/${name}`)).not.toBe('');
});

test.each([
  ['a body that is torn', ['HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\ncolumns']],
  ['a length that is no number', ['HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\ncolumns']],
  ['two lengths', ['HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\ncolumns']],
  ['a header without end', ['HTTP/1.1 200 OK\r\nx: ', 'x'.repeat(1_000_000)]],
  ['a chunk of a length that is a lie', ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffff0\r\nx']],
  ['another protocol', ['SSH-2.0-server\r\n']],
  ['a switch to another protocol', ['HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n']],
])('%s ends in a failure that says so', async (_, parts) => {
  await using raw = await openRaw((write) => parts.forEach(write));
  expect(await reasonFor(raw.address, { allowPrivate: true, timeoutMs: 500 })).not.toBe('');
});

test('a body that comes a byte at a time ends when the time is over', async () => {
  await using raw = await openRaw((write) => {
    write('HTTP/1.1 200 OK\r\n\r\n');
    const timer = setInterval(() => write('x'), 5);
    setTimeout(() => clearInterval(timer), 2000).unref();
  });
  expect(await reasonFor(raw.address, { allowPrivate: true, timeoutMs: 200 })).toBe(
    'the download took longer than 0.2 seconds',
  );
});

test('a proxy of the environment is not asked, and nothing of the user goes along', { tags: 'long' }, async () => {
  const module = JSON.stringify(import.meta.resolve('../../packages/config/src/builder/read-source.ts'));
  const script = `
    const { readSource } = await import(${module});
    const { document } = await readSource(${JSON.stringify(`${origin}/good.yaml`)}, { allowPrivate: true });
    process.stdout.write(JSON.stringify(document));`;
  const proxy = 'http://user:word@127.0.0.1:9';
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@data-designer/source', '--input-type=module', '--eval', script],
    { env: { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: '' } },
  );
  expect(stdout).toBe('{"columns":[]}');
  expect(Object.keys(asked[0]?.headers ?? {}).toSorted()).toEqual([
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ]);
});
