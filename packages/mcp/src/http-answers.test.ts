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

test('a call whose headers a server without a handshake refuses with 400 is repeated with those of a new listing', async () => {
  let listings = 0;
  const seen: unknown[] = [];
  await using server = await startScripted(({ headers, response, message, method }) => {
    const { id } = message;
    if (method === 'initialize')
      return refuse(response, 400, JSON.stringify({ error: { code: -32_602, message: 'no' } }));
    if (method === 'server/discover')
      return answerWith(response, { id, result: { supportedVersions: ['2026-07-28'], capabilities: {} } });
    if (method === 'tools/list') {
      const region = listings++ === 0 ? { type: 'string' } : { type: 'string', 'x-mcp-header': 'Region' };
      const tools = [{ name: 'write', inputSchema: { type: 'object', properties: { region } } }];
      return answerWith(response, { id, result: { tools } });
    }
    seen.push(headers['mcp-param-region']);
    if (headers['mcp-param-region'] === 'us') return answerWith(response, { id, result: { content: [] } });
    const mismatch = { code: -32_020, message: 'Header mismatch: Mcp-Param-Region is missing' };
    return refuse(response, 400, JSON.stringify({ jsonrpc: '2.0', id, error: mismatch }));
  });
  await using session = await openSession(providerOf(server));
  expect(await session.callTool('write', { region: 'us' }, limits)).toEqual({
    kind: 'answered',
    result: { content: [] },
  });
  expect(seen).toEqual([undefined, 'us']);
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

test('an oversized message in the stream of an SSE server costs only its own call', async () => {
  await using server = await startSse();
  await using session = await openSession({ ...providerOf(server), providerType: 'sse', maxMessageMb: 0.01 });
  const texts = ['x'.repeat(20_000), 'y'];
  const calls = await Promise.all(texts.map((text) => session.callTool('echo', { text }, limits)));
  expect(calls).toEqual([
    { kind: 'failed', reason: `its answer is too large: ${key}` },
    { kind: 'answered', result: { content: [{ type: 'text', text: 'y' }], isError: false } },
  ]);
  expect(session.lost).toBeUndefined();
});

test('an oversized notification before an answer costs nothing', async () => {
  const log = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: 'x'.repeat(20_000) });
  const script: Script = ({ response, message: { id } }) =>
    events(response, `data: ${log}\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n\n`);
  expect(await called(script, { maxMessageMb: 0.01 })).toEqual({ kind: 'answered', result: {} });
});

const valid = { content: [{ type: 'text', text: 'café' }] };
const validText = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result: valid });
const asEvent = (text: string): string => `data: ${text}\n\n`;

/** A response with the text for the id of the request. */
function responding(type: string, bodyOf: (id: unknown) => string | Buffer, status = 200): Script {
  return ({ response, message: { id } }) => {
    response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(bodyOf(id));
    return true;
  };
}

const [JSON_TYPE, EVENTS] = ['application/json', 'text/event-stream'];

test.each<[string, Script]>([
  ['HTTP 202', responding(JSON_TYPE, validText, 202)],
  ['HTTP 202 as a stream', responding(EVENTS, (id) => asEvent(validText(id)), 202)],
  ['no content type', responding('', validText)],
  ['the type text/plain', responding('text/plain', validText)],
  [
    'a message in each line',
    responding('application/x-ndjson', (id) => `{"jsonrpc":"2.0","method":"x"}\n${validText(id)}`),
  ],
  ['a byte order mark', responding(JSON_TYPE, (id) => `\uFEFF${validText(id)}`)],
  ['the charset UTF-16', responding(`${JSON_TYPE}; charset=utf-16le`, (id) => Buffer.from(validText(id), 'utf16le'))],
  ['the charset Latin-1', responding(`${JSON_TYPE}; charset="latin1"`, (id) => Buffer.from(validText(id), 'latin1'))],
  ['an unknown charset', responding(`${JSON_TYPE}; charset=unheard`, validText)],
])('an answer with %s is read', async (...[, script]) => {
  expect(await called(script)).toEqual({ kind: 'answered', result: valid });
});

const openStream: Script = ({ response, message: { id } }) => {
  response.writeHead(200, { 'content-type': EVENTS }).write(asEvent(`{"jsonrpc":"2.0","id":${id},"result":NaN}`));
  return true;
};

test.each<[string, Script, string]>([
  ['HTTP 202 without a body', responding('', () => '', 202), 'it sent no answer (HTTP 202)'],
  ['HTTP 204', responding('', () => '', 204), 'it sent no answer (HTTP 204)'],
  ['an empty body', responding(JSON_TYPE, () => ''), 'it sent no answer (HTTP 200)'],
  ['a page', responding('text/html', () => '<p>'), 'its answer of the type text/html is no JSON-RPC response: <p>'],
  ['NaN in an open stream', openStream, 'its answer is not valid JSON: {"jsonrpc":"2.0","id":1,"result":NaN}'],
])('%s fails its call at once', async (...[, script, reason]) => {
  expect(await called(script)).toEqual({ kind: 'failed', reason });
});

test.each<[string, (text: string) => string]>([
  [JSON_TYPE, (text) => text],
  [EVENTS, asEvent],
])('an answer of the type %s with the id of another call is given to neither', async (type, write) => {
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  await using server = await startScripted(async (asked) => {
    const { method, tool, message } = asked;
    if (method !== 'tools/call') return false;
    if (tool === 'write') return responding(type, () => write(validText(Number(message.id) - 1)))(asked);
    await answered;
    return answer(asked.response, message.id, { content: [] });
  });
  await using session = await openSession(providerOf(server));
  const first = session.callTool('read', {}, limits);
  const second = await session.callTool('write', {}, limits);
  resolve();
  expect(await first).toEqual({ kind: 'answered', result: { content: [] } });
  expect(second).toMatchObject({ reason: expect.stringContaining('café') as string });
});

test('an SSE server may answer a message as it accepts it', async () => {
  await using server = await startScripted((asked) => {
    const { method, path, response } = asked;
    if (method !== 'GET') return method === 'tools/call' && responding(JSON_TYPE, validText)(asked);
    response.writeHead(200, { 'content-type': EVENTS }).write(`event: endpoint\ndata: ${path}\n\n`);
    return true;
  });
  await using session = await openSession({ ...providerOf(server), providerType: 'sse' });
  expect(await session.callTool('read', {}, limits)).toEqual({ kind: 'answered', result: valid });
});

test('a stream that a server leaves open after its answer is closed', { tags: 'long' }, async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  await using server = await startScripted(({ method, response, message: { id } }) => {
    if (method !== 'tools/call') return false;
    response.once('close', resolve);
    response.writeHead(200, { 'content-type': EVENTS }).write(asEvent(validText(id)));
    return true;
  });
  await using session = await openSession(providerOf(server));
  expect(await session.callTool('read', {}, limits)).toMatchObject({ kind: 'answered' });
  await closed;
});

test('a server that refuses both transports gives the reason of the first refusal', async () => {
  await using server = await startScripted(({ method, response }) =>
    method === 'GET' ? refuse(response, 405) : refuse(response, 404, 'no such page'),
  );
  await expect(openSession(providerOf(server))).rejects.toThrow(/HTTP 404: no such page/);
});

test.each([
  ['gzip', 'Z_DATA_ERROR'],
  ['br', 'ERR_BROTLI|ERR__ERROR_FORMAT'],
])('an answer that is not %s as its header says is told as such', async (encoding, code) => {
  const script: Script = ({ response, message: { id } }) => {
    response.writeHead(200, { 'content-type': JSON_TYPE, 'content-encoding': encoding }).end(validText(id));
    return true;
  };
  expect(await called(script)).toMatchObject({
    kind: 'disconnected',
    reason: expect.stringMatching(`its answer cannot be decompressed \\((${code})`) as string,
  });
});

test('the answer to a request that a server makes within a call does not end that call', async () => {
  let finish: (() => void) | undefined;
  await using server = await startScripted(({ method, response, message: { id } }) => {
    if (method === 'tools/call') {
      response.writeHead(200, { 'content-type': EVENTS }).write(asEvent('{"jsonrpc":"2.0","id":"p","method":"ping"}'));
      finish = () => response.end(asEvent(validText(id)));
      return true;
    }
    if (method !== 'POST') return false;
    response.writeHead(202).end(() => setImmediate(() => finish?.()));
    return true;
  });
  await using session = await openSession(providerOf(server));
  expect(await session.callTool('read', {}, limits)).toEqual({ kind: 'answered', result: valid });
});
