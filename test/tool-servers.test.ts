import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner } from 'data-designer';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { MCPProvider } from '@data-designer/config';
import type { CallOutcome, Resource } from '@data-designer/core';
import type { RunEvent } from '@data-designer/engine';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { GatewayHost } from '../packages/gateway/src/gateway-host.ts';
import { ProviderRouter } from '../packages/gateway/src/provider-router.ts';
import { PortGateway } from '../packages/gateway/src/port-gateway.ts';
import { eventFile } from '../packages/mcp/test/event-file.ts';
import { startSse, startStreamable } from '../packages/mcp/test/http-server.ts';
import { isAlive, stdioServer, until } from '../packages/mcp/test/providers.ts';
import { publishedServer } from '../packages/mcp/test/published.ts';
import { startDataDesigner } from './command-line.ts';

let folder: string;
let simulator: RunningSimulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator[Symbol.asyncDispose]());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tool-servers-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A server of packages/mcp/test as a provider that is declared. */
function declared(mode: string, events?: string): MCPProvider {
  const { name, command, args, env } = stdioServer('raw', [mode], events === undefined ? {} : { EVENTS: events });
  return { name, providerType: 'stdio', command, args: [...args], env };
}

const NUMBERS = Array.from({ length: 500 }, (_, number) => number);

/** A dataset whose rows are made with tools of the providers. */
function documentOf(providers: readonly string[], prompt = 'Use the tool one for number {{ n }}.') {
  return {
    model_configs: [
      { alias: 'writer', model: 'sim-small', provider: 'own', inference_parameters: { max_parallel_requests: 32 } },
    ],
    tool_configs: [{ tool_alias: 'served', providers }],
    columns: [
      { name: 'n', column_type: 'sampler', sampler_type: 'category', params: { values: NUMBERS } },
      { name: 'a', column_type: 'llm-text', model_alias: 'writer', tool_alias: 'served', with_trace: true, prompt },
    ],
  };
}

function designerOf(tools: readonly MCPProvider[]): DataDesigner {
  const rest = { providerType: 'openai', apiKey: null, extraBody: null, extraHeaders: null } as const;
  const models = [{ name: 'own', endpoint: simulator.url, ...rest }];
  return new DataDesigner({
    artifactPath: folder,
    providers: { models, tools },
    runConfig: { seed: 4, bufferSize: 5 },
  });
}

/** One call through an I/O thread, as a row makes it. */
async function callThrough(
  provider: MCPProvider,
  { name, args = {} }: { name: string; args?: object },
): Promise<CallOutcome> {
  const resource: Resource = { id: 'tools/it', kind: 'tools', provider: provider.name, limit: 4, pool: 'tools/it' };
  const providers = { models: [], tools: [provider] };
  await using host = await GatewayHost.open({ resources: [resource], providers, frozen: {} });
  using gateway = new PortGateway(host.openGroup(0, null));
  const at = { row: 0, column: 'a', call: 0 };
  await gateway.admit(resource.id, at);
  const body = JSON.stringify({ name, arguments: args });
  return await gateway.call({ resource: resource.id, path: 'tools/call', body, timeoutMs: 20_000, ...at });
}

test('a tool server receives only the environment variables of its provider', { tags: 'long' }, async () => {
  process.env.TEST_TOOL_KEY = 'key-of-the-run';
  process.env.NOT_FOR_TOOLS = 'private';
  const { name, command, args } = publishedServer('everything');
  const env = { API_KEY: '${TEST_TOOL_KEY}', GREETING: 'Bearer ${TEST_TOOL_KEY}!', PRICE: '$5' };
  const provider: MCPProvider = { name, providerType: 'stdio', command, args: [...args], env };
  const { body } = await callThrough(provider, { name: 'get-env' });
  const { content } = JSON.parse(body) as { content: { text: string }[] };
  expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({
    API_KEY: 'key-of-the-run',
    GREETING: 'Bearer key-of-the-run!',
    PRICE: '$5',
  });
  expect(body).not.toContain('NOT_FOR_TOOLS');
});

test('a missing variable of a provider is named before the start', { tags: 'long' }, async () => {
  const stdio: MCPProvider = { ...declared('none'), env: { TOKEN: '${NOT_SET_ANYWHERE}' } } as MCPProvider;
  const remote = { name: 'local', providerType: 'sse', endpoint: 'http://127.0.0.1:1/', apiKey: null } as const;
  const providers = [
    [stdio, 'env.TOKEN'],
    [{ ...remote, headers: { 'X-Key': '${NOT_SET_ANYWHERE}' } }, 'headers.X-Key'],
  ] as const;
  for (const [provider, key] of providers) {
    await expect(callThrough(provider, { name: 'one' })).rejects.toMatchObject({
      code: 'secret/missing',
      data: { name: 'NOT_SET_ANYWHERE', owner: `MCP provider 'local' (${key})` },
    });
  }
});

test.each([
  ['sse', startSse],
  ['streamable_http', startStreamable],
] as const)(
  'headers reach a server over %s, and its errors never show what was filled into them',
  { tags: 'long' },
  async (type, start) => {
    process.env.TEST_TOOL_KEY = 'key-of-the-run';
    await using server = await start();
    const headers = { Authorization: 'Token ${TEST_TOOL_KEY}', 'X-Tenant': 'blue' };
    const provider: MCPProvider = { name: 'it', providerType: type, endpoint: server.endpoint, apiKey: null, headers };
    const { status, body } = await callThrough(provider, { name: 'reveal' });
    expect([status, body]).toEqual([200, expect.stringContaining('[secret]')]);
    expect(body).not.toContain('key-of-the-run');
    expect(server.events).toEqual(expect.arrayContaining(['authorized Token key-of-the-run', 'tenant blue']));
  },
);

test('max_parallel_calls of a provider limits its parallel calls', async () => {
  const resource: Resource = { id: 'tools/it', kind: 'tools', provider: 'local', limit: 256, pool: 'tools/it' };
  const limitOf = async (provider: MCPProvider): Promise<number> => {
    const providers = { models: [], tools: [provider] };
    await using router = new ProviderRouter({ resources: [resource], providers, frozen: {}, environment: {} });
    return router.admission('tools/it').limit;
  };
  expect(await limitOf(declared('none'))).toBe(256);
  expect(await limitOf({ ...declared('none'), maxParallelCalls: 3 })).toBe(3);
});

test.each([
  [1, ['wait', 'echo']],
  [2, ['echo', 'wait']],
])('with %i parallel calls an unadmitted call waits for a permit', { tags: 'long' }, async (most, order) => {
  const { name, command, args, env } = stdioServer('tools');
  const provider: MCPProvider = { name, providerType: 'stdio', command, args: [...args], env, maxParallelCalls: most };
  const resource: Resource = { id: 'tools/it', kind: 'tools', provider: name, limit: 256, pool: 'tools/it' };
  const providers = { models: [], tools: [provider] };
  await using host = await GatewayHost.open({ resources: [resource], providers, frozen: {} });
  using gateway = new PortGateway(host.openGroup(0, null));
  await host.listTools(name);
  const ended: string[] = [];
  const calls = ['wait', 'echo'].map(async (tool, row) => {
    const at = { row, column: 'a', call: 0, resource: resource.id, timeoutMs: 20_000 };
    const body = JSON.stringify({ name: tool, arguments: { ms: 300, text: 'x' } });
    await gateway.call({ ...at, path: 'tools/call', body });
    ended.push(tool);
  });
  await Promise.all(calls);
  expect(ended).toEqual(order);
});

test('one process and one tool list serve all row groups of a run', { tags: 'long' }, async () => {
  const { path, lines } = eventFile();
  const events: RunEvent[] = [];
  await using designer = designerOf([declared('none', path)]);
  const { count, tools } = await designer.create(
    { document: documentOf(['local']), source: 'the test' },
    { numRecords: 40, onEvent: (event) => events.push(event) },
  );
  expect(count).toBe(40);
  const asked = lines().map((line) => line.split(' ') as [string, string]);
  expect(new Set(asked.map(([pid]) => pid)).size).toBe(1);
  const countOf = (method: string) => asked.filter(([, one]) => one === method).length;
  expect([countOf('initialize'), countOf('tools/list')]).toEqual([1, 1]);
  expect(countOf('tools/call')).toBe(tools.one?.calls);
  expect(events.filter(({ type }) => type.startsWith('tool'))).toEqual([
    { type: 'tool-session-start', provider: 'local', again: false },
  ]);
});

test('changed tools are reported once, and calls of a removed one return an error', { tags: 'long' }, async () => {
  const events: RunEvent[] = [];
  await using designer = designerOf([declared('changing')]);
  const results = await designer.create(
    { document: documentOf(['local']), source: 'the test' },
    { numRecords: 30, onEvent: (event) => events.push(event) },
  );
  expect(results.lost).toEqual([]);
  expect(events.filter(({ type }) => type === 'tools-change')).toEqual([{ type: 'tools-change', provider: 'local' }]);
  const records = await Array.fromAsync(results.records());
  expect(JSON.stringify(records)).toContain("Error: Tool 'one' failed: there is no tool one any more");
});

test('a tool server that dies repeatedly costs no row, and each loss is reported', { tags: 'long' }, async () => {
  const { path } = eventFile();
  const { name, command, args } = stdioServer('tools');
  const dying: MCPProvider = { name, providerType: 'stdio', command, args: [...args], env: { EVENTS: path } };
  const events: RunEvent[] = [];
  await using designer = designerOf([dying]);
  const document = documentOf(['local'], 'Use the tool crash for number {{ n }}.');
  const results = await designer.create(
    { document, source: 'the test' },
    { numRecords: 4, onEvent: (event) => events.push(event) },
  );
  expect([results.count, results.lost]).toEqual([4, []]);
  const records = await Array.fromAsync(results.records());
  expect(JSON.stringify(records)).toContain(
    "Error: Tool 'crash' failed: its process ended with code 7; stderr: out of",
  );
  const lost = events.filter(({ type }) => type === 'tool-session-fail');
  expect(lost[0]).toMatchObject({ provider: 'local', reason: expect.stringContaining('code 7') as string });
  expect(events.filter((event) => event.type === 'tool-session-start' && event.again).length).toBeGreaterThan(0);
});

test('two providers with tool prefixes share a tool config', { tags: 'long' }, async () => {
  const tools = ['first', 'second'].map((name) => ({ ...declared('none'), name, toolPrefix: `${name}_` }));
  await using designer = designerOf(tools);
  const document = documentOf(['first', 'second'], 'Use the tools first_one and second_one for number {{ n }}.');
  const results = await designer.preview({ document, source: 'the test' }, { numRecords: 8 });
  expect([results.count, results.lost]).toEqual([8, []]);
  expect(Object.keys(results.tools).toSorted()).toEqual(['first/one', 'second/one']);
  const said = JSON.stringify(await Array.fromAsync(results.records()));
  expect(said).toContain('"name":"second_one"');
  expect(said).not.toContain('Error: Tool');
});

test.each([
  ['two providers', [declared('none'), { ...declared('none'), name: 'other' }], ['local', 'other']],
  ['a server that refuses', [declared('refuse')], ['local']],
  ['a list without an end', [declared('endless')], ['local']],
])('%s: the run ends before its first request', { tags: 'long' }, async (_, tools, providers) => {
  const before = (await simulator.stats()).requests;
  await using designer = designerOf(tools);
  const declaration = { document: documentOf(providers), source: 'the test' };
  const failure = await designer.preview(declaration, { numRecords: 2 }).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ code: expect.stringMatching(/^tool\/(?:duplicate|unavailable)$/) as string });
  expect((await simulator.stats()).requests).toBe(before);
});

test('a killed run leaves no tool process, not even one that ignores stdin and SIGTERM', { tags: 'long' }, async () => {
  const { path, lines } = eventFile();
  const slow = await startSimulator('--latency', '200');
  const stubborn = declared('stubborn', path) as MCPProvider & { providerType: 'stdio' };
  const providers = [
    { name: 'own', endpoint: slow.url },
    { name: 'local', provider_type: 'stdio', command: stubborn.command, args: stubborn.args, env: stubborn.env },
  ];
  writeFileSync(join(folder, 'providers.json'), JSON.stringify({ providers }));
  writeFileSync(join(folder, 'dataset.json'), JSON.stringify(documentOf(['local'])));
  const given = ['--providers', join(folder, 'providers.json'), '-n', '500', '-o', folder, '-d', 'killed'];
  const { child, finished } = startDataDesigner(['create', join(folder, 'dataset.json'), ...given]);
  await until(() => lines().some((line) => line.endsWith('tools/call')));
  const pid = Number(lines()[0]?.split(' ')[0]);
  expect(isAlive(pid)).toBe(true);
  child.kill('SIGKILL');
  await finished;
  await until(() => !isAlive(pid));
  await slow[Symbol.asyncDispose]();
});
