import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { defineTool, type ServeOptions, serveTools, type ToolServer } from '@data-designer/mcp';
import { connectOfficial, type OfficialClient } from '../test/official-client.ts';
import { isAlive, until } from '../test/providers.ts';
import { ended, servedKit } from '../test/served-kit.ts';

const KIT_SERVER = fileURLToPath(new URL('../test/kit-server.ts', import.meta.url));
const TRANSPORTS = ['stdio', 'sse', 'streamable_http'] as const;

/** A client of the kit, and the server if it runs in this process. */
interface Connected extends AsyncDisposable {
  readonly official: OfficialClient;
  readonly server: ToolServer | undefined;
}

function serve(options: Partial<ServeOptions> & { transport: ServeOptions['transport'] }): Promise<ToolServer> {
  return serveTools(servedKit, {
    name: 'kit',
    version: '1.0.0',
    readResource: (uri) => `the text of ${uri}`,
    ...options,
  });
}

async function connect(transport: ServeOptions['transport']): Promise<Connected> {
  if (transport === 'stdio') {
    const args = ['--conditions=@data-designer/source', KIT_SERVER];
    const official = await connectOfficial({ command: process.execPath, args });
    return { official, server: undefined, [Symbol.asyncDispose]: () => official[Symbol.asyncDispose]() };
  }
  const server = await serve({ transport });
  const official = await connectOfficial({ address: server.address ?? '', transport });
  const end = async (): Promise<void> => {
    await official[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  return { official, server, [Symbol.asyncDispose]: end };
}

describe.each(TRANSPORTS)('an official client over %s', (transport) => {
  test('lists tools with titles, annotations and schemas, and calls them', { tags: 'long' }, async () => {
    await using connected = await connect(transport);
    const { official } = connected;
    const { tools } = await official.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(servedKit.map(({ name }) => name));
    expect(tools[0]).toMatchObject({
      title: 'Add numbers',
      description: 'Adds two numbers.',
      inputSchema: { type: 'object', required: ['a'], properties: { b: { type: 'number', default: 1 } } },
      outputSchema: { type: 'object', required: ['sum'] },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    });
    const { content, structuredContent, isError } = await official.call('add', { a: 2 });
    expect({ content, structuredContent, isError }).toEqual({
      content: [{ type: 'text', text: '{"sum":3}' }],
      structuredContent: { sum: 3 },
      isError: undefined,
    });
    expect((await official.call('draw')).content.map(({ type }) => type)).toEqual(['text', 'image']);
    expect((await official.call('read')).content).toEqual([{ type: 'text', text: 'the text of note:1' }]);
  });

  test('gets failures as error results', { tags: 'long' }, async () => {
    await using connected = await connect(transport);
    const { call } = connected.official;
    const texts = await Promise.all(
      [call('fail'), call('add', { a: 'two' }), call('lie')].map(async (calling) => {
        const { content, isError } = await calling;
        expect(isError).toBe(true);
        return content[0]?.text;
      }),
    );
    expect(texts[0]).toBe('the shelf is empty');
    expect(texts[1]).toMatch(/^the arguments do not fit: .*a/);
    expect(texts[2]).toMatch(/^its result does not fit its output schema: /);
    await expect(call('sing')).rejects.toThrow(/Unknown tool: sing/);
  });

  test(
    'gets log messages and progress while a tool runs, and no log messages above its level',
    { tags: 'long' },
    async () => {
      await using connected = await connect(transport);
      const { official } = connected;
      const steps: unknown[] = [];
      const onprogress = (step: unknown) => steps.push(step);
      await official.call('wait', { steps: 3, ms: 30 }, { onprogress });
      expect(steps).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })));
      expect(official.notes).toEqual(['wait: waiting']);
      await official.client.setLoggingLevel('error');
      await official.call('wait', { steps: 1, ms: 1 });
      expect(official.notes).toEqual(['wait: waiting']);
    },
  );
});

describe.each(['sse', 'streamable_http'] as const)('a server over %s', (transport) => {
  test('aborts the signal of a call that its client cancels, and of all calls when it ends', async () => {
    await using connected = await connect(transport);
    const { official, server } = connected;
    ended.length = 0;
    const cancel = new AbortController();
    const cancelled = official.call('wait', { steps: 1, ms: 60_000 }, { signal: cancel.signal });
    await until(() => official.notes.length === 1);
    cancel.abort();
    await expect(cancelled).rejects.toThrow(/abort/i);
    await until(() => ended.length === 1);
    const cut = official.call('wait', { steps: 1, ms: 60_000 });
    cut.catch(() => {});
    await until(() => official.notes.length === 2);
    await server?.[Symbol.asyncDispose]();
    await until(() => ended.length === 2);
    await server?.ended;
  });

  test('rejects requests to an unknown host, or from an unknown origin', async () => {
    await using server = await serve({ transport });
    const ask = (headers: Record<string, string>) => statusOf(server, headers);
    const own = new URL(server.address ?? '');
    expect(await ask({ host: 'evil.example' })).toBe(403);
    expect(await ask({ host: `evil.example:${own.port}` })).toBe(403);
    expect(await ask({ host: `10.1.2.3:${own.port}` })).toBe(403);
    expect(await ask({ origin: 'http://evil.example' })).toBe(403);
    expect(await ask({ origin: 'null' })).toBe(403);
    expect(await ask({ origin: 'http://10.1.2.3' })).toBe(403);
    expect(await ask({ host: `localhost:${own.port}`, origin: 'http://localhost:9' })).not.toBe(403);
    await using named = await serve({ transport, allowedHosts: ['tools.example'] });
    expect(await statusOf(named, { host: 'tools.example' })).not.toBe(403);
    expect(await statusOf(named, { host: 'other.example' })).toBe(403);
  });

  test('requires its token if it has one', async () => {
    await using server = await serve({ transport, token: 'open sesame' });
    const address = server.address ?? '';
    expect(await statusOf(server, { authorization: 'Bearer open' })).toBe(401);
    await expect(connectOfficial({ address, transport })).rejects.toThrow(/401|token/i);
    await using official = await connectOfficial({
      address,
      transport,
      headers: { authorization: 'Bearer open sesame' },
    });
    expect((await official.call('add', { a: 1 })).structuredContent).toEqual({ sum: 2 });
  });
});

/** The status of a bare request with the given headers. */
async function statusOf({ address = '' }: ToolServer, headers: Record<string, string>): Promise<number> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const sent = request(address, { method: 'DELETE', headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject).end();
  });
}

test('a session over streamable HTTP ends when its client leaves, or when idle', { tags: 'long' }, async () => {
  await using server = await serve({ transport: 'streamable_http', idleMs: 3_000 });
  const address = server.address ?? '';
  const left = await connectOfficial({ address, transport: 'streamable_http' });
  await left.leave();
  await expect(left.call('add', { a: 1 })).rejects.toThrow(/./);
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const begun = await post(address, {
    ...body,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bare', version: '1' } },
  });
  const id = begun.headers.get('mcp-session-id') ?? '';
  expect((await post(address, body, id)).status).toBe(200);
  // A request ends idleness, so each check comes later than the one before.
  let status = 200;
  for (let ms = 4_000; status === 200; ms *= 2) {
    await sleep(ms);
    ({ status } = await post(address, body, id));
  }
  expect(status).toBe(404);
});

function post(address: string, body: object, session?: string): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
  };
  return fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
}

test('output that a tool prints stays out of the messages of a stdio server', { tags: 'long' }, async () => {
  await using connected = await connect('stdio');
  const { official } = connected;
  expect((await official.call('print')).content).toEqual([{ type: 'text', text: 'printed' }]);
  expect(official.stderr()).toContain('this is no message');
  const pid = official.pid as number;
  await official[Symbol.asyncDispose]();
  await until(() => !isAlive(pid));
});

test('two tools of one name and a taken port are reported before serving', async () => {
  const tool = defineTool({ name: 'twin', parameters: { type: 'object' }, execute: () => '' });
  const options = { name: 'kit', version: '1', transport: 'streamable_http' } as const;
  await expect(serveTools([tool, tool], options)).rejects.toMatchObject({ code: 'tool/invalid' });
  await using server = await serveTools([tool], options);
  const port = Number(new URL(server.address ?? '').port);
  await expect(serveTools([tool], { ...options, port })).rejects.toMatchObject({ code: 'environment/cannot-listen' });
});
