import { once } from 'node:events';
import { createServer as createHttp, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { eventStore, type RemoteServer, startSse, startStreamable } from '../test/http-server.ts';
import { until } from '../test/providers.ts';
import { openSession } from './session-slot.ts';
import type { ToolProvider } from './provider.ts';
import type { SessionEvent } from './tool-session.ts';
import { ToolSessions } from './tool-sessions.ts';

const limits = { timeoutMs: 60_000 };
const echo = { name: 'echo', arguments: { text: 'hello' } };
const hello = { status: 200, headers: {}, body: '{"content":[{"type":"text","text":"hello"}],"isError":false}' };

describe.each([
  ['sse', startSse],
  ['streamable_http', startStreamable],
] as const)('over %s', (providerType, start) => {
  const at = (endpoint: string, apiKey?: string): ToolProvider => ({ name: 'remote', providerType, endpoint, apiKey });

  test('lists and calls tools, with the key as a bearer token', async () => {
    await using server = await start();
    await using sessions = new ToolSessions();
    const provider = at(server.endpoint, 'the-right-key');
    const tools = await sessions.listTools(provider);
    expect(tools.map((tool) => tool.function.name)).toEqual(['echo', 'wait', 'reveal']);
    expect(await sessions.call(provider, echo, limits)).toEqual(hello);
    expect(server.events).toContain('authorized Bearer the-right-key');
  });

  test('never shows the key in a reason, even if the server does', async () => {
    await using server = await start();
    const failure = await openSession(at(server.endpoint, 'wrong-key')).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'tool/unavailable', data: { reason: expect.stringContaining('401') } });
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain('wrong-key');
    await using session = await openSession(at(server.endpoint, 'the-right-key'));
    const answer = await session.callTool('reveal', {}, limits);
    expect(answer).toMatchObject({ result: { content: [{ text: 'Bearer [secret]' }], isError: true } });
  });

  test('sends the headers of its provider, and an authorization header wins over the key', async () => {
    await using server = await start();
    const headers = { Authorization: 'Token secret-in-header', 'X-Tenant': 'blue' };
    await using session = await openSession({ ...at(server.endpoint, 'the-key'), headers } as ToolProvider);
    const answer = await session.callTool('reveal', {}, limits);
    expect(answer).toMatchObject({ result: { content: [{ text: '[secret]' }] } });
    const said = new Set(server.events.filter((event) => /^(?:authorized|tenant)/.test(event)));
    expect([...said].toSorted()).toEqual(['authorized Token secret-in-header', 'tenant blue']);
  });

  test('reports an address without a server', async () => {
    const server = await start();
    await server[Symbol.asyncDispose]();
    await expect(openSession(at(server.endpoint))).rejects.toMatchObject({
      code: 'tool/unavailable',
      data: { reason: expect.stringContaining('ECONNREFUSED') },
    });
  });

  test('gives up on an address that accepts connections and never answers', async () => {
    const mute = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const opening = openSession(at(`http://127.0.0.1:${port}/`), { handshakeTimeoutMs: 200 });
    await expect(opening).rejects.toMatchObject({
      data: { reason: 'it did not answer the MCP handshake within 0.2 s' },
    });
    mute.close();
    await once(mute, 'close');
  });

  test('ends a call at its timeout and cancels it at the server', async () => {
    await using server = await start();
    await using session = await openSession(at(server.endpoint));
    const result = await session.callTool('wait', { ms: 60_000 }, { timeoutMs: 200 });
    expect(result).toEqual({ kind: 'timed-out', reason: 'no answer within 200 ms' });
    await until(() => server.events.includes('cancelled'));
  });

  test('fails a call in flight at once when its connection is cut', async () => {
    await using server = await start();
    await using session = await openSession(at(server.endpoint));
    const waiting = session.callTool('wait', { ms: 60_000 }, { timeoutMs: 60_000 });
    await until(() => server.events.includes('wait'));
    server.cut();
    expect(await waiting).toMatchObject({ kind: 'disconnected' });
  });

  test('opens a new session when the server has forgotten the old one', async () => {
    await using server = await start();
    await using sessions = new ToolSessions();
    expect(await sessions.call(at(server.endpoint), echo, limits)).toEqual(hello);
    server.forget();
    expect(await sessions.call(at(server.endpoint), echo, limits)).toEqual(hello);
  });

  test('waits for a server that restarts at the same address', { tags: 'long' }, async () => {
    const server = await start();
    const events: SessionEvent[] = [];
    await using sessions = new ToolSessions({ onEvent: (event) => events.push(event) });
    const provider = at(server.endpoint);
    expect(await sessions.call(provider, echo, limits)).toEqual(hello);
    await server[Symbol.asyncDispose]();
    const call = sessions.call(provider, echo, limits);
    await sleep(200);
    await using _ = await start(server.port);
    expect(await call).toEqual(hello);
    expect(events.map(({ type }) => type)).toEqual(['tool-session-start', 'tool-session-fail', 'tool-session-start']);
    expect(events.at(-1)).toMatchObject({ provider: 'remote', again: true });
  });

  test('reports a server that does not come back', { tags: 'long' }, async () => {
    const server = await start();
    await using sessions = new ToolSessions({ reconnectMs: 1_500 });
    await sessions.listTools(at(server.endpoint));
    expect(await sessions.call(at(server.endpoint), echo, limits)).toEqual(hello);
    await server[Symbol.asyncDispose]();
    const late = 'no answer within 700 ms: no session could be opened in that time';
    const soon = sessions.call(at(server.endpoint), echo, { timeoutMs: 700 });
    const patient = sessions.call(at(server.endpoint), echo, limits);
    expect(await soon).toMatchObject({ status: 504, body: late });
    expect(await patient).toMatchObject({ status: 502, body: expect.stringContaining('ECONNREFUSED') });
  });
});

test('opens a new session when a server answers 400 for the unknown old one', async () => {
  await using server = await startStreamable();
  await using sessions = new ToolSessions();
  const provider: ToolProvider = { name: 'remote', providerType: 'streamable_http', endpoint: server.endpoint };
  expect(await sessions.call(provider, echo, limits)).toEqual(hello);
  server.forget({ status: 400, page: '{"error":{"message":"Bad Request: No valid session ID provided"}}' });
  expect(await sessions.call(provider, echo, limits)).toEqual(hello);
});

test('ends its session at a streamable HTTP server', async () => {
  await using server = await startStreamable();
  const session = await openSession({ name: 'remote', providerType: 'streamable_http', endpoint: server.endpoint });
  await session[Symbol.asyncDispose]();
  expect(server.events).toContain('left');
});

/** The number of answers that the client has begun to receive. */
const streamsOf = ({ events }: RemoteServer) => events.filter((event) => event === 'streaming').length;

test('waits for an answer that can be fetched again after its connection was cut', { tags: 'long' }, async () => {
  await using server = await startStreamable(0, eventStore());
  await using session = await openSession({
    name: 'remote',
    providerType: 'streamable_http',
    endpoint: server.endpoint,
  });
  const before = streamsOf(server);
  const waiting = session.callTool('wait', { ms: 300, text: 'at last' }, limits);
  await until(() => server.events.includes('wait') && streamsOf(server) > before);
  server.cut();
  expect(await waiting).toMatchObject({ kind: 'answered', result: { content: [{ text: 'at last' }] } });
  expect(server.events.filter((event) => event === 'wait')).toHaveLength(1);
});

test('fails a call whose answer can no longer be fetched again', { tags: 'long' }, async () => {
  const server = await startStreamable(0, eventStore());
  await using session = await openSession({
    name: 'remote',
    providerType: 'streamable_http',
    endpoint: server.endpoint,
  });
  const before = streamsOf(server);
  const waiting = session.callTool('wait', { ms: 60_000 }, { timeoutMs: 60_000 });
  await until(() => server.events.includes('wait') && streamsOf(server) > before);
  await server[Symbol.asyncDispose]();
  expect(await waiting).toMatchObject({ kind: 'disconnected' });
});

test('fails a call at once when the server refuses to resend its answer', { tags: 'long' }, async () => {
  await using server = await startStreamable(0, eventStore());
  const endpoint = server.endpoint;
  await using session = await openSession({ name: 'remote', providerType: 'streamable_http', endpoint });
  const before = streamsOf(server);
  const waiting = session.callTool('wait', { ms: 60_000 }, { timeoutMs: 60_000 });
  await until(() => server.events.includes('wait') && streamsOf(server) > before);
  server.forget();
  server.cut();
  expect(await waiting).toMatchObject({
    kind: 'disconnected',
    reason: 'the stream of its answer broke off, and resuming it failed: HTTP 404: Session not found',
  });
});

const canned = (result: object) => (response: ServerResponse) => {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 0, result });
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);
};

test('an answer that breaks off disconnects, an unreadable answer fails the call', async () => {
  const serverInfo = { name: 'canned', version: '1' };
  let body = canned({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
  const http = createHttp((request, response) => {
    request.resume().on('end', () => body(response));
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const endpoint = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
  const session = await openSession({ name: 'remote', providerType: 'streamable_http', endpoint });
  body = (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' }).write('{"jsonrpc"');
    setTimeout(() => response.destroy(), 50);
  };
  expect(await session.callTool('echo', {}, limits)).toMatchObject({ kind: 'disconnected' });
  body = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>');
  const reason = 'its answer of the type text/html is no JSON-RPC response: <p>Sign in</p>';
  expect(await session.callTool('echo', {}, limits)).toMatchObject({ kind: 'failed', reason });
  body = (response) => void response.writeHead(503).end('busy');
  const brief = { timeoutMs: 400 };
  expect(await session.callTool('echo', {}, brief)).toMatchObject({ kind: 'failed', reason: 'HTTP 503: busy' });
  http.closeAllConnections();
  await session[Symbol.asyncDispose]();
  http.close();
});

test('rejects an endpoint that is not an address', async () => {
  const provider = { name: 'remote', providerType: 'sse', endpoint: 'not an address' } as const;
  await expect(openSession(provider)).rejects.toMatchObject({ code: 'tool/unavailable' });
});
