import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Asked, answer, answerWith, refuse, type ScriptedServer, startScripted } from '../test/scripted-server.ts';
import type { ToolProvider } from './provider.ts';
import type { SessionEvent } from './tool-session.ts';
import { ToolSessions } from './tool-sessions.ts';

const limits = { timeoutMs: 20_000 };
const write = { name: 'write', arguments: {} };
const read = { name: 'read', arguments: {} };

const providerOf = ({ endpoint }: ScriptedServer): ToolProvider => {
  return { name: 'remote', providerType: 'streamable_http', endpoint };
};
const times = ({ log }: ScriptedServer, what: string): number => log.filter((line) => line === what).length;

/** Refuses calls whose session is not known. */
const unlessKnown = (server: ScriptedServer, refuseIt: (asked: Asked) => true) => (asked: Asked) =>
  asked.method === 'tools/call' && !server.sessions.has(asked.session ?? '') ? refuseIt(asked) : false;

const rpcError =
  (message: string, code = -32_600) =>
  ({ response, message: { id } }: Asked) =>
    answerWith(response, { id, error: { code, message } });

describe('a call is repeated on one new session when the server has forgotten the old one and says so with', () => {
  test.each<[string, (asked: Asked) => true]>([
    ['404 without a text', ({ response }) => refuse(response, 404)],
    ['401', ({ response }) => refuse(response, 401, 'Unauthorized: Session not found')],
    ['401 without a text', ({ response }) => refuse(response, 401)],
    ['400 of any text', ({ response }) => refuse(response, 400, 'Bad Request')],
    ['403', ({ response }) => refuse(response, 403, '{"detail":"forbidden"}')],
    ['409', ({ response }) => refuse(response, 409, 'conflict')],
    ['410', ({ response }) => refuse(response, 410, 'gone')],
    ['422', ({ response }) => refuse(response, 422, 'Unexpected message, expect initialize request')],
    ['500 about the session', ({ response }) => refuse(response, 500, '{"error":"Session abc not found"}')],
    ['a JSON-RPC error', rpcError('Session not found', -32_001)],
    ['a JSON-RPC error about an expired session', rpcError('The session has expired')],
    ['a JSON-RPC error about an invalid session', rpcError('Bad Request: Invalid session ID', -32_000)],
    ['a JSON-RPC error about initialisation', rpcError('Received request before initialization was complete', -32_602)],
    ['a JSON-RPC error of a server that is not initialized', rpcError('Server not initialized', -32_002)],
  ])('%s', { tags: 'long' }, async (...[, refuseIt]) => {
    await using server = await startScripted();
    const events: SessionEvent[] = [];
    await using sessions = new ToolSessions({ onEvent: (event) => events.push(event) });
    server.script = unlessKnown(server, refuseIt);
    expect(await sessions.call(providerOf(server), write, limits)).toMatchObject({ status: 200 });
    server.sessions.clear();
    const calls = Array.from({ length: 12 }, () => sessions.call(providerOf(server), write, limits));
    for (const outcome of await Promise.all(calls)) expect(outcome).toMatchObject({ status: 200 });
    expect(times(server, 'initialize')).toBe(2);
    expect(events.map(({ type }) => type)).toEqual(['tool-session-start', 'tool-session-fail', 'tool-session-start']);
  });
});

test('sessions that end after a few calls are replaced as often as needed while many calls are in flight', async () => {
  await using server = await startScripted();
  await using sessions = new ToolSessions();
  const served = new Map<string, number>();
  server.script = ({ method, session = '', response }) => {
    if (method !== 'tools/call') return false;
    served.set(session, (served.get(session) ?? 0) + 1);
    return (served.get(session) ?? 0) > 10 && refuse(response, 401, 'Unauthorized');
  };
  const calls = Array.from({ length: 40 }, () => sessions.call(providerOf(server), write, limits));
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(40).fill(200));
  expect(times(server, 'initialize')).toBe(4);
});

test('a refusal by a new session waits for the other calls on it, which may show that it works', async () => {
  await using server = await startScripted();
  await using sessions = new ToolSessions();
  let calls = 0;
  server.script = async ({ method, session, response }) => {
    if (method !== 'tools/call' || session === 'session-3') return false;
    if (session === 'session-2' && ++calls === 1) {
      await sleep(200);
      return false;
    }
    return refuse(response, 401, 'Unauthorized');
  };
  const both = [sessions.call(providerOf(server), write, limits), sessions.call(providerOf(server), write, limits)];
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
});

describe('a refusal that a new session meets too is the answer, and the session of others stays', () => {
  test.each([
    [400, 'the argument city is missing'],
    [401, 'Unauthorized'],
    [403, 'you may not write'],
    [404, 'no such page'],
  ])('HTTP %i', async (status, page) => {
    await using server = await startScripted(
      ({ tool, response }) => tool === 'write' && refuse(response, status, page),
    );
    const events: SessionEvent[] = [];
    await using sessions = new ToolSessions({ onEvent: (event) => events.push(event) });
    expect(await sessions.call(providerOf(server), read, limits)).toMatchObject({ status: 200 });
    const calls = Array.from({ length: 8 }, () => sessions.call(providerOf(server), write, limits));
    const refused = { status: 502, headers: {}, body: `HTTP ${status}: ${page}` };
    for (const outcome of await Promise.all(calls)) expect(outcome).toEqual(refused);
    expect(await sessions.call(providerOf(server), write, limits)).toEqual(refused);
    expect(await sessions.call(providerOf(server), read, limits)).toMatchObject({ status: 200 });
    expect(times(server, 'initialize')).toBe(2);
    expect(events.map(({ type }) => type)).toEqual(['tool-session-start']);
    // The session on trial is ended at the server.
    await expect.poll(() => times(server, 'DELETE')).toBe(1);
    expect([...server.sessions]).toEqual(['session-1']);
  });
});

test('the error names both reasons if no new session can be opened, and that is tried once', async () => {
  await using server = await startScripted();
  await using sessions = new ToolSessions();
  expect(await sessions.call(providerOf(server), write, limits)).toMatchObject({ status: 200 });
  server.script = ({ response }) => refuse(response, 401, 'Unauthorized');
  const outcome = await sessions.call(providerOf(server), write, limits);
  expect(outcome.body).toMatch(
    /^HTTP 401: Unauthorized; no new session could be opened: .*HTTP 401: Unauthorized; set api_key/,
  );
  await sessions.call(providerOf(server), write, limits);
  expect(times(server, 'initialize')).toBe(2);
});

test('a result that says that its session has gone is repeated only for a tool that may run twice', async () => {
  await using server = await startScripted();
  await using sessions = new ToolSessions();
  const gone = { isError: true, content: [{ type: 'text', text: 'Session terminated' }] };
  server.script = ({ method, session, message: { id }, response }) =>
    method === 'tools/call' && session === 'session-1' && answer(response, id, gone);
  const failed = await sessions.call(providerOf(server), write, limits);
  expect(JSON.parse(failed.body)).toEqual(gone);
  expect(times(server, 'initialize')).toBe(1);
  expect((await sessions.call(providerOf(server), read, limits)).body).toContain('done');
  expect(times(server, 'tools/call read')).toBe(2);
});

test('errors of a tool about other things open no session', async () => {
  await using server = await startScripted();
  await using sessions = new ToolSessions();
  const results = [
    { error: { code: -32_602, message: 'Invalid params: city' } },
    { error: { code: -32_603, message: 'Internal error' } },
    { result: { isError: true, content: [{ type: 'text', text: 'no obsession with sessions' }] } },
  ];
  server.script = ({ method, message: { id }, response }) =>
    method === 'tools/call' && answerWith(response, { id, ...results.shift() });
  for (const _ of [1, 2, 3]) await sessions.call(providerOf(server), read, limits);
  server.script = ({ method, response }) => method === 'tools/call' && refuse(response, 413, 'too large');
  await sessions.call(providerOf(server), read, limits);
  server.script = ({ method, response }) => method === 'tools/call' && refuse(response, 500, 'oops');
  await sessions.call(providerOf(server), read, limits);
  expect(times(server, 'initialize')).toBe(1);
  expect(times(server, 'tools/call read')).toBe(5);
});

test('a redirect within the origin is followed, however slow the answer is', async () => {
  await using server = await startScripted();
  await using sessions = new ToolSessions();
  server.script = async ({ path, message: { id }, response }) => {
    if (path !== '/moved') return refuse(response, 307, { page: 'moved', headers: { location: '/moved' } });
    // Longer than a broken stream may take to deliver its last message.
    if (id !== undefined) await sleep(250);
    return false;
  };
  expect(await sessions.call(providerOf(server), write, limits)).toMatchObject({ status: 200 });
});

test('a session and its key are never sent to another origin', async () => {
  await using other = await startScripted();
  await using server = await startScripted();
  await using sessions = new ToolSessions();
  const provider = { ...providerOf(server), apiKey: 'the-key' };
  expect(await sessions.call(provider, read, limits)).toMatchObject({ status: 200 });
  server.script = ({ response }) => refuse(response, 307, { headers: { location: other.endpoint } });
  expect(await sessions.call(provider, write, limits)).toMatchObject({ status: 502 });
  await sessions[Symbol.asyncDispose]();
  expect(other.log).toEqual([]);
});

test('a server that notifies at each listing and ends each stream at once is asked again at growing intervals', async () => {
  await using server = await startScripted();
  await using sessions = new ToolSessions();
  const changed = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  server.script = ({ method, response, message: { id } }) => {
    const isStream = method === 'GET';
    if (!isStream && method !== 'tools/list') return false;
    const listed = JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(isStream ? 'retry: 0\n\n' : `data: ${changed}\n\ndata: ${listed}\n\n`);
    return true;
  };
  await sessions.listTools(providerOf(server));
  for (let call = 0; call < 40; call++) await sessions.call(providerOf(server), read, limits);
  expect(times(server, 'tools/list')).toBeLessThan(15);
  expect(times(server, 'GET')).toBeLessThan(15);
});
