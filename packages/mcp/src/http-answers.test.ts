import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { type RemoteServer, startSse } from '../test/http-server.ts';
import { answer, answerWith, refuse, type Script, startScripted } from '../test/scripted-server.ts';
import type { RemoteToolProvider } from './provider.ts';
import { openSession } from './session-slot.ts';
import type { ToolCallResult } from './tool-session.ts';

const limits = { timeoutMs: 20_000 };

function providerOf({ endpoint }: Pick<RemoteServer, 'endpoint'>): RemoteToolProvider {
  return { name: 'remote', providerType: 'streamable_http', endpoint };
}

/** The end of a call that a script answers. */
async function called(script: Script, settings: { readonly maxMessageMb?: number } = {}): Promise<ToolCallResult> {
  await using server = await startScripted((asked) => asked.method === 'tools/call' && script(asked));
  await using session = await openSession({ ...providerOf(server), ...settings });
  return await session.callTool('write', {}, limits);
}

function events(response: ServerResponse, text: string): true {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
  return true;
}

const error = { code: -32_000, message: 'no room', data: 'disk 3' };

test.each<[string, Script]>([
  ['without an id', ({ response }) => answerWith(response, { id: null, error })],
  ['with no member id', ({ response }) => answerWith(response, { error })],
  ['with the id of no request', ({ response }) => answerWith(response, { id: 'server-error', error })],
  ['in a list', ({ response, message: { id } }) => answerList(response, [{ jsonrpc: '2.0', id, error }])],
  ['beside a result of null', ({ response, message: { id } }) => answerWith(response, { id, result: null, error })],
  ['beside a result', ({ response, message: { id } }) => answerWith(response, { id, result: { content: [] }, error })],
  [
    'without an id in a stream',
    ({ response }) => events(response, `data: ${JSON.stringify({ jsonrpc: '2.0', id: null, error })}\n\n`),
  ],
])('an error %s fails its call with the text of the server', async (_claim, script) => {
  expect(await called(script)).toMatchObject({ kind: 'failed', reason: 'no room (disk 3)' });
});

function answerList(response: ServerResponse, list: readonly object[]): true {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(list));
  return true;
}

test('a status with an error without an id gives the text of the error', async () => {
  const page = JSON.stringify({ jsonrpc: '2.0', id: null, error });
  expect(await called(({ response }) => refuse(response, 400, page))).toMatchObject({
    reason: 'HTTP 400: no room (disk 3)',
  });
});

test.each<[string, string]>([
  ['{"error":"Unauthorized"}', 'its answer is no JSON-RPC response: {"error":"Unauthorized"}'],
  ['[]', 'its answer is no JSON-RPC response: []'],
  ['"ok"', 'its answer is no JSON-RPC response: "ok"'],
])('the body %s fails its call with what it says', async (body, reason) => {
  const script: Script = ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    return true;
  };
  expect(await called(script)).toMatchObject({ kind: 'failed', reason });
});

test.each<[string, (id: number | undefined) => object]>([
  ['an empty error beside it', (id) => ({ id, error: {} })],
  ['an error of null beside it', (id) => ({ id, error: null })],
  ['further members', (id) => ({ id, method: null, took: 3 })],
  ['its id as a text', (id) => ({ id: String(id) })],
])('a result with %s is one', async (_claim, rest) => {
  const result = { content: [] };
  const script: Script = ({ response, message: { id } }) => answerWith(response, { ...rest(id), result });
  expect(await called(script)).toEqual({ kind: 'answered', result });
});

const textOf = (id: unknown) => `{"jsonrpc":"2.0","id":${String(id)},"result":{"n":12345678901234567890}}`;

const digitsInBody: Script = ({ response, message: { id } }) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(textOf(id));
  return true;
};
const digitsInStream: Script = ({ response, message: { id } }) => events(response, `data: ${textOf(id)}\r\n\r\n`);

test('results over HTTP keep the digits of integers', async () => {
  for (const script of [digitsInBody, digitsInStream]) {
    expect(JSON.stringify(await called(script))).toContain('{"n":12345678901234567890}');
  }
});

const long = { content: [{ type: 'text', text: 'x'.repeat(20_000) }] };
const key = 'more than 0.01 MiB; max_message_mb of the provider sets this limit';

const longBody: Script = ({ response, message: { id } }) => answer(response, id, long);
const longEvent: Script = ({ response, message: { id } }) =>
  events(response, `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: long })}\n\n`);

test('max_message_mb bounds a body and an event', async () => {
  for (const script of [longBody, longEvent]) {
    expect(await called(script, { maxMessageMb: 0.01 })).toEqual({
      kind: 'failed',
      reason: `its answer is too large: ${key}`,
    });
    expect(await called(script, { maxMessageMb: 0.03 })).toEqual({ kind: 'answered', result: long });
  }
});

test('max_message_mb bounds the stream of an SSE server', async () => {
  await using server = await startSse();
  await using session = await openSession({ ...providerOf(server), providerType: 'sse', maxMessageMb: 0.01 });
  expect(await session.callTool('echo', { text: 'x'.repeat(20_000) }, limits)).toMatchObject({
    kind: 'disconnected',
    reason: `its answer is too large: ${key}`,
  });
});
