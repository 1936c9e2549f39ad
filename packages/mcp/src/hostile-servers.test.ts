import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { refuse, type Script, startScripted } from '../test/scripted-server.ts';
import { argumentCheck } from './check-arguments.ts';
import type { RemoteToolProvider } from './provider.ts';
import { openSession } from './session-slot.ts';
import { catalogOf } from './tool-catalog.ts';
import { toolSchema } from './tool-listing.ts';
import type { ToolCallResult } from './tool-session.ts';

const EVENTS = 'text/event-stream';

interface CallSettings extends Partial<RemoteToolProvider> {
  readonly timeoutMs?: number;
}

/** The end of a call whose answer a script gives. */
async function called(script: Script, { timeoutMs = 20_000, ...settings }: CallSettings = {}): Promise<ToolCallResult> {
  await using server = await startScripted((asked) => asked.method === 'tools/call' && script(asked));
  const provider = { name: 'remote', providerType: 'streamable_http', endpoint: server.endpoint, ...settings } as const;
  await using session = await openSession(provider);
  return await session.callTool('write', {}, { timeoutMs });
}

test.each([
  ['one', ['gzip']],
  ['two', ['gzip', 'gzip']],
])('an answer that unpacks to 64 MB by %s encodings is not unpacked whole', { tags: 'long' }, async (_, encodings) => {
  const bomb = encodings.reduce((bytes) => gzipSync(bytes), Buffer.alloc(64 * 1024 * 1024, ' '));
  const before = process.memoryUsage().arrayBuffers;
  const ended = await called(
    ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encodings.join(', ') });
      response.end(bomb);
      return true;
    },
    { maxMessageMb: 1 },
  );
  expect(ended).toMatchObject({ kind: 'failed', reason: expect.stringContaining('too large') as string });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024);
});

test.each([
  ['comments', ': still here\n\n'],
  ['events of other kinds', 'event: tick\ndata: {}\n\n'],
  ['notifications', `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: {} })}\n\n`],
  ['requests', `data: ${JSON.stringify({ jsonrpc: '2.0', id: 'x', method: 'ping' })}\n\n`],
])('a stream of %s without an end does not keep a call beyond its limit', { tags: 'long' }, async (_, event) => {
  const ended = await called(
    ({ response }) => {
      response.writeHead(200, { 'content-type': EVENTS });
      const timer = setInterval(() => response.write(event), 5);
      response.once('close', () => clearInterval(timer));
      return true;
    },
    { timeoutMs: 200 },
  );
  expect(ended.kind).toBe('timed-out');
});

test('an SSE server cannot send the messages and the key of its provider to another origin', async () => {
  await using other = await startScripted();
  await using server = await startScripted(({ method, response }) => {
    if (method !== 'GET') return refuse(response, 404);
    response.writeHead(200, { 'content-type': EVENTS }).write(`event: endpoint\ndata: ${other.endpoint}\n\n`);
    return true;
  });
  const provider = { name: 'remote', providerType: 'sse', endpoint: server.endpoint, apiKey: 'the-key' } as const;
  await expect(openSession({ ...provider, startTimeoutSec: 5 })).rejects.toThrow(/remote/);
  expect(other.log).toEqual([]);
});

const MEMBERS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', '__defineGetter__'];

test('tools with the names of members of objects are offered and found as others are', () => {
  const config = { alias: 't', providers: ['p'], allowTools: null, maxToolCallTurns: 5, timeoutMs: 1000 };
  const listed = MEMBERS.map((name) => toolSchema({ name, description: name, parameters: { type: 'object' } }));
  const { schemas, tools } = catalogOf(config, [{ provider: 'p', tools: listed }]);
  expect(schemas.map((schema) => schema.function.description)).toEqual(MEMBERS);
  expect(schemas.map((schema) => tools.get(schema.function.name)?.name)).toEqual(MEMBERS);
  expect(tools.get('valueOf')).toBeUndefined();
});

test('properties and arguments with the names of members of objects change no object', () => {
  const parameters = JSON.parse(
    `{"type":"object","properties":{"__proto__":{"type":"object","properties":{"polluted":{"type":"boolean"}}},"constructor":{"type":"string"}}}`,
  ) as Parameters<typeof argumentCheck>[0];
  const check = argumentCheck(parameters);
  const args = JSON.parse('{"__proto__":{"polluted":true},"constructor":"c"}') as Record<string, unknown>;
  const accepted = check?.(args);
  expect(JSON.stringify(accepted)).toBe('{"value":{"__proto__":{"polluted":true},"constructor":"c"}}');
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
