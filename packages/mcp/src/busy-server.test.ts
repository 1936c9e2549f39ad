import { expect, test } from 'vitest';
import { answerWith, refuse, type ScriptedServer, startScripted } from '../test/scripted-server.ts';
import { BusyWaits, rateLimitOf, retryAfterMs } from './busy-waits.ts';
import type { ToolProvider } from './provider.ts';
import { openSession } from './session-slot.ts';
import { ToolSessions } from './tool-sessions.ts';

const limits = { timeoutMs: 20_000 };
const read = { name: 'read', arguments: {} };
const write = { name: 'write', arguments: {} };

const providerOf = ({ endpoint }: ScriptedServer): ToolProvider => {
  return { name: 'remote', providerType: 'streamable_http', endpoint };
};

test('Retry-After is read as seconds and as an HTTP date', () => {
  expect(retryAfterMs('3')).toBe(3_000);
  expect(retryAfterMs('0.5')).toBe(500);
  expect(retryAfterMs('-1')).toBe(0);
  expect(retryAfterMs(new Date(Date.now() + 60_000).toUTCString())).toBeGreaterThan(50_000);
  expect(retryAfterMs('Thu, 01 Jan 2015 00:00:00 GMT')).toBe(0);
  expect([retryAfterMs(null), retryAfterMs(''), retryAfterMs('soon')]).toEqual([undefined, undefined, undefined]);
});

test('a wait never ends after the deadline, and waits that nobody asked for are few', () => {
  const waits = new BusyWaits(performance.now() + 60_000, () => 0);
  expect(waits.next(3_600_000)).toBeUndefined();
  expect(waits.next(0)).toBe(100);
  expect([1, 2, 3, 4, 5].map(() => waits.next(undefined))).toEqual([500, 1_000, 2_000, 4_000, undefined]);
  expect(new BusyWaits(performance.now() + 50).next(undefined)).toBeUndefined();
});

function waitOf(drawn: number, leftMs: number): number | undefined {
  return new BusyWaits(performance.now() + leftMs, () => drawn).next(10_000);
}

test('calls that are refused together come back spread, none too early and none after its deadline', () => {
  expect([0, 0.5, 1].map((drawn) => waitOf(drawn, 60_000))).toEqual([10_000, 11_000, 12_000]);
  expect(waitOf(1, 10_500)).toBeLessThan(10_500);
  expect(waitOf(1, 10_500)).toBeGreaterThan(10_000);
});

test('a rate limit as a JSON-RPC error is told from other errors', () => {
  expect(rateLimitOf({ code: -32_000, message: 'Rate limit exceeded', data: { retryAfter: 2 } })).toBe(2_000);
  expect(rateLimitOf({ code: 429, message: 'slow down', data: { retry_after_ms: 70 } })).toBe(70);
  expect(rateLimitOf({ code: -32_029, message: 'Too many requests' })).toBeNull();
  expect(rateLimitOf({ code: -32_602, message: 'the rate is limited to 5' })).toBeUndefined();
  expect(rateLimitOf(undefined)).toBeUndefined();
});

test('a busy server is asked again for the handshake, the list of tools and calls', { tags: 'long' }, async () => {
  await using server = await startScripted();
  const busy = new Map([
    ['initialize', [429, 503, 502, 504]],
    ['notifications/initialized', [429]],
    ['tools/list', [503, 502, 504]],
    ['tools/call write', [429, 503]],
    ['tools/call read', [502, 504]],
  ]);
  server.script = ({ method, tool, response }) => {
    const status = busy.get(`${method} ${tool}`.trim())?.shift();
    return status !== undefined && refuse(response, status, { page: 'busy', headers: { 'retry-after': '0' } });
  };
  await using sessions = new ToolSessions();
  expect(await sessions.listTools(providerOf(server))).toHaveLength(2);
  expect(await sessions.call(providerOf(server), write, limits)).toMatchObject({ status: 200 });
  expect(await sessions.call(providerOf(server), read, limits)).toMatchObject({ status: 200 });
  expect([...busy.values()].flat()).toEqual([]);
});

test('a call is not sent again after 502, which leaves open whether it ran, unless it may run twice', async () => {
  await using server = await startScripted();
  await using sessions = new ToolSessions();
  server.script = ({ method, response }) => method === 'tools/call' && refuse(response, 502, 'bad gateway');
  await sessions.listTools(providerOf(server));
  expect(await sessions.call(providerOf(server), write, limits)).toMatchObject({ body: 'HTTP 502: bad gateway' });
  expect(server.log.filter((line) => line === 'tools/call write')).toHaveLength(1);
});

test('a server that asks for more time than a call has is told at once', async () => {
  await using server = await startScripted();
  await using sessions = new ToolSessions();
  await sessions.listTools(providerOf(server));
  server.script = ({ response }) => refuse(response, 429, { page: 'slow down', headers: { 'retry-after': '3600' } });
  const outcome = await sessions.call(providerOf(server), write, limits);
  expect(outcome).toEqual({ status: 502, headers: {}, body: 'HTTP 429: slow down (it asks to wait 3600 s)' });
});

test('a call is sent again after a JSON-RPC error about a rate limit', async () => {
  let refusals = 2;
  await using server = await startScripted(({ method, message: { id }, response }) => {
    const error = { code: -32_000, message: 'Rate limit exceeded', data: { retryAfter: 0 } };
    return method === 'tools/call' && refusals-- > 0 && answerWith(response, { id, error });
  });
  await using sessions = new ToolSessions();
  expect(await sessions.call(providerOf(server), write, limits)).toMatchObject({ status: 200 });
});

test('the time for starting is that of the provider, and names what the server lacks', async () => {
  await using server = await startScripted(() => true);
  const opening = openSession({ ...providerOf(server), startTimeoutSec: 0.2 });
  await expect(opening).rejects.toMatchObject({ data: { reason: 'it did not answer the MCP handshake within 0.2 s' } });
  server.script = ({ response }) =>
    refuse(response, 401, {
      headers: {
        'www-authenticate':
          'Bearer error="invalid_token", error_description="Sign in \\"first\\"", resource_metadata="https://a.example/meta", scope="mcp:tools read"',
      },
    });
  const reason =
    'HTTP 401: Sign in "first"; it needs the scope mcp:tools read; its OAuth metadata is at https://a.example/meta; set api_key of the provider to an access token, or headers (such as authorization) to what the server expects';
  for (const providerType of ['streamable_http', 'sse'] as const) {
    await expect(openSession({ ...providerOf(server), providerType } as ToolProvider)).rejects.toMatchObject({
      data: { reason },
    });
  }
});
