import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { LinkListener } from './link.ts';
import { RpcSession } from './rpc-session.ts';
import type { JsonObject } from './tool-session.ts';

const provider = { name: 'local', providerType: 'stdio', command: '', args: [], env: {} } as const;
const limits = { timeoutMs: 20_000 };
const content = [{ type: 'text', text: 'fine' }];

/** A message of the client. */
interface Sent {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>> & { readonly _meta?: JsonObject };
  readonly error?: JsonObject;
  readonly result?: JsonObject;
}

/** The rest of an answer, or undefined for none. */
type Serve = (message: Sent, tell: (message: JsonObject) => void) => JsonObject | undefined;

const metaOf = ({ _meta: meta = {} }: NonNullable<Sent['params']> = {}): JsonObject => meta;

const handshake: JsonObject = {
  result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
};

/** A session with a server in this process, and the messages that it sent. */
function sessionWith(
  serve: Serve,
  options: ConstructorParameters<typeof RpcSession>[1] = {},
  server: ConstructorParameters<typeof RpcSession>[0] = provider,
) {
  const sent: Sent[] = [];
  const headers: unknown[] = [];
  const openLink: ConstructorParameters<typeof RpcSession>[2] = (...[, , listener]) => ({
    connect: () => Promise.resolve(),
    useVersion: () => undefined,
    send: async (message, call) => {
      headers.push(call?.headers);
      take(message, listener);
    },
    close: () => Promise.resolve(),
    leave: () => Promise.resolve(),
    lastWords: () => undefined,
    stderr: () => '',
    fault: () => undefined,
  });
  const take = (message: Sent, { onMessage }: LinkListener): void => {
    sent.push(message);
    const tell = (told: JsonObject): void => onMessage({ jsonrpc: '2.0', ...told });
    const answer = serve(message, tell);
    if (answer !== undefined && message.id !== undefined) onMessage({ jsonrpc: '2.0', id: message.id, ...answer });
  };
  return { session: new RpcSession(server, options, openLink), sent, headers };
}

test('a server that knows no handshake gets its version in each request', async () => {
  const version = 'io.modelcontextprotocol/protocolVersion';
  for (const code of [-32_022, -32_601, -32_602]) {
    const { session, sent } = sessionWith(({ method, params }) => {
      if (metaOf(params)[version] !== '2026-07-28') return { error: { code, message: 'Unsupported protocol version' } };
      if (method === 'server/discover')
        return { result: { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } };
      return { result: method === 'tools/list' ? { tools: [{ name: 'a' }] } : { content } };
    });
    await session.open();
    expect((await session.listTools()).schemas).toHaveLength(1);
    expect(await session.callTool('a', {}, limits)).toEqual({ kind: 'answered', result: { content } });
    const methods = sent.map(({ method }) => method);
    expect(methods).toEqual(['initialize', 'server/discover', 'tools/list', 'tools/call']);
    await session[Symbol.asyncDispose]();
  }
});

test('a remote server without a handshake gets marked parameters as headers, also in a run that lists no tools', async () => {
  const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
  for (const providerType of ['streamable_http', 'stdio'] as const) {
    const { session, sent, headers } = sessionWith(
      ({ method }) => {
        if (method === 'initialize') return { error: { code: -32_601, message: 'Method not found' } };
        if (method === 'server/discover') return { result: { supportedVersions: ['2026-07-28'], capabilities: {} } };
        return { result: method === 'tools/list' ? { tools: [{ name: 'a', inputSchema }] } : { content } };
      },
      {},
      providerType === 'stdio' ? provider : { name: 'p', providerType, endpoint: 'http://localhost/mcp' },
    );
    await session.open();
    const call = () => session.callTool('a', { region: 'us' }, limits);
    await Promise.all([call(), call()]);
    const isRemote = providerType !== 'stdio';
    const calls = Array.from({ length: 2 }, () => 'tools/call');
    expect(sent.slice(2).map(({ method }) => method)).toEqual([...(isRemote ? ['tools/list'] : []), ...calls]);
    const standard = { 'mcp-method': 'tools/call', 'mcp-name': 'a' };
    expect(headers.at(-1)).toEqual({ ...standard, ...(isRemote && { 'Mcp-Param-Region': 'us' }) });
  }
});

/** A server of the version without a handshake whose tool has another header after each listing. */
function changingServer(refuse: (headers: JsonObject) => JsonObject | undefined) {
  let listings = 0;
  const made = sessionWith(
    ({ method }) => {
      if (method === 'initialize') return { error: { code: -32_601, message: 'Method not found' } };
      if (method === 'server/discover') return { result: { supportedVersions: ['2026-07-28'], capabilities: {} } };
      if (method === 'tools/list') {
        const marked = { type: 'string', 'x-mcp-header': `Region-${++listings}` };
        return { result: { tools: [{ name: 'a', inputSchema: { type: 'object', properties: { region: marked } } }] } };
      }
      return refuse(made.headers.at(-1) as JsonObject) ?? { result: { content } };
    },
    {},
    { name: 'p', providerType: 'streamable_http', endpoint: 'http://localhost/mcp' },
  );
  return made;
}

const MISMATCH = { error: { code: -32_020, message: 'Header mismatch: Mcp-Param-Region-2 is missing' } };

test('a call whose headers a server refuses is repeated with those of a new listing, which calls share', async () => {
  const { session, sent } = changingServer((headers) => ('Mcp-Param-Region-2' in headers ? undefined : MISMATCH));
  await session.open();
  const call = () => session.callTool('a', { region: 'us' }, limits);
  const answered = { kind: 'answered', result: { content } };
  expect(await Promise.all([call(), call(), call()])).toEqual([answered, answered, answered]);
  expect(await call()).toEqual(answered);
  const methods = sent.map(({ method }) => method).slice(2);
  expect(methods.filter((method) => method === 'tools/list')).toHaveLength(2);
  expect(methods.filter((method) => method === 'tools/call')).toHaveLength(7);
});

test('a refusal of headers that no listing changes is told, and costs no listing each time', async () => {
  const { session, sent } = changingServer(() => MISMATCH);
  await session.open();
  const [first, second] = [{ region: 'us' }, {}].map((args) => () => session.callTool('a', args, limits));
  expect(await first?.()).toMatchObject({ kind: 'failed', reason: MISMATCH.error.message });
  for (let round = 0; round < 3; round++) expect(await second?.()).toMatchObject({ kind: 'failed' });
  const methods = sent.map(({ method }) => method).slice(2);
  expect(methods).toEqual(['tools/list', 'tools/call', 'tools/list', ...Array.from({ length: 4 }, () => 'tools/call')]);
});

test('a refusal of the handshake for another reason is told as it is', async () => {
  const { session } = sessionWith(() => ({ error: { code: -32_000, message: 'the licence has expired' } }));
  await expect(session.open()).rejects.toMatchObject({ data: { reason: 'the licence has expired' } });
  const answer = { result: { protocolVersion: '1999-01-01', capabilities: {} } };
  const { session: old } = sessionWith(({ method }) =>
    method === 'initialize' ? answer : { error: { code: -32_601 } },
  );
  const reason = "Server's protocol version is not supported: 1999-01-01";
  await expect(old.open()).rejects.toMatchObject({ data: { reason } });
});

test('each request of a server is answered at once, before and after the handshake', async () => {
  const { session, sent } = sessionWith(({ method, id }, tell) => {
    if (method !== undefined && id !== undefined) {
      tell({ id: 'p', method: 'ping' });
      tell({ id: 7, method: 'roots/list' });
      tell({ id: 8, method: 'sampling/createMessage', params: {} });
      tell({ id: 9, method: 'elicitation/create', params: {} });
    }
    return method === 'initialize' ? handshake : { result: { content } };
  });
  await session.open();
  await session.callTool('a', {}, limits);
  const answers = sent.filter(({ method }) => method === undefined);
  expect(answers).toHaveLength(8);
  expect(answers.slice(0, 4)).toEqual([
    { jsonrpc: '2.0', id: 'p', result: {} },
    ...[7, 8, 9].map((id) => ({ jsonrpc: '2.0', id, error: { code: -32_601, message: expect.any(String) as string } })),
  ]);
});

test('a log line that looks like an answer is none', async () => {
  const { session } = sessionWith(({ method, id }, tell) => {
    tell({ jsonrpc: undefined, id, result: { content: [] } });
    tell({ jsonrpc: '1.0', id, error: { message: 'bad' } });
    return method === 'initialize' ? handshake : { result: { content } };
  });
  await session.open();
  expect(await session.callTool('a', {}, limits)).toEqual({ kind: 'answered', result: { content } });
});

test('reports of progress extend a call only where it has a limit for the whole, and never beyond that', async () => {
  const { session, sent } = sessionWith(({ method, id, params }, tell) => {
    if (method === 'initialize') return handshake;
    if (method !== 'tools/call') return undefined;
    const progressToken = metaOf(params).progressToken ?? id;
    let reports = 0;
    const timer = setInterval(() => {
      if (++reports < 12)
        return tell({ method: 'notifications/progress', params: { progressToken, progress: reports } });
      clearInterval(timer);
      tell({ id, result: { content } });
    }, 50);
    return undefined;
  });
  await session.open();
  const patient = session.callTool('a', {}, { timeoutMs: 300, longestMs: 20_000 });
  const impatient = session.callTool('a', {}, { timeoutMs: 300 });
  const limited = session.callTool('a', {}, { timeoutMs: 300, longestMs: 400 });
  expect(await impatient).toEqual({ kind: 'timed-out', reason: 'no answer within 300 ms' });
  expect(await limited).toEqual({ kind: 'timed-out', reason: 'no answer within 400 ms' });
  expect(await patient).toEqual({ kind: 'answered', result: { content } });
  const calls = sent.filter(({ method }) => method === 'tools/call');
  expect(calls.map(({ params }) => metaOf(params))).toEqual([{ progressToken: 1 }, {}, { progressToken: 3 }]);
});

const isCancelled = ({ sent }: { readonly sent: readonly Sent[] }) =>
  sent.some(({ method }) => method === 'tasks/cancel');

const WITH_TASKS = { tools: {}, tasks: { requests: { tools: { call: {} } } } };

/** A server that runs its tool only as a task, whose states are given. */
function taskServer(states: readonly JsonObject[], result: JsonObject = { result: { content } }): Serve {
  const left = [...states];
  return ({ method, params }) => {
    if (method === 'initialize') return { result: { protocolVersion: '2025-11-25', capabilities: WITH_TASKS } };
    if (method === 'tasks/get') return { result: { taskId: 't', pollInterval: 1, ...left.shift() } };
    if (method === 'tasks/result') return result;
    if (method !== 'tools/call') return undefined;
    if (params?.task === undefined) return { error: { code: -32_601, message: 'only as a task' } };
    return { result: { task: { taskId: 't', status: 'working', pollInterval: 1 } } };
  };
}

test('a tool that the server runs only as a task is run as one, and the session remembers it', async () => {
  const { session, sent } = sessionWith(
    taskServer([{ status: 'working' }, { status: 'completed' }, { status: 'completed' }]),
  );
  await session.open();
  expect(await session.callTool('a', {}, limits)).toEqual({ kind: 'answered', result: { content } });
  expect(await session.callTool('a', {}, limits)).toEqual({ kind: 'answered', result: { content } });
  const methods = sent.flatMap(({ method }) => (method?.startsWith('t') ? [method] : []));
  const polled = ['tools/call', 'tasks/get', 'tasks/get', 'tasks/result'];
  expect(methods).toEqual(['tools/call', ...polled, 'tools/call', 'tasks/get', 'tasks/result']);
});

test('a task that fails, asks for input or takes too long fails its call, and is cancelled unless it is over', async () => {
  const noResult = { error: { code: -32_603, message: 'no result' } };
  const failing = sessionWith(taskServer([{ status: 'failed', statusMessage: 'the tide was out' }], noResult));
  await failing.session.open();
  expect(await failing.session.callTool('a', {}, limits)).toEqual({ kind: 'failed', reason: 'the tide was out' });
  const asking = sessionWith(taskServer([{ status: 'input_required' }]));
  await asking.session.open();
  const asked = await asking.session.callTool('a', {}, limits);
  expect(asked).toEqual({ kind: 'failed', reason: 'its task asks for input, which nobody can give' });
  const slow = sessionWith(taskServer(Array.from({ length: 1_000 }, () => ({ status: 'working', pollInterval: 60 }))));
  await slow.session.open();
  const late = await slow.session.callTool('a', {}, { timeoutMs: 200 });
  expect(late).toEqual({ kind: 'timed-out', reason: 'no answer within 200 ms' });
  await sleep(0);
  expect([failing, asking, slow].map(isCancelled)).toEqual([false, true, true]);
});
