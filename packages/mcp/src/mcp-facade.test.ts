import { afterAll, expect, test } from 'vitest';
import {
  type CallOutcome,
  type CallContext,
  type ChatMessage,
  DataDesignerError,
  type PlannedTools,
  Random,
  type ToolCall,
} from '@data-designer/core';
import { DirectGateway } from '../test/direct-gateway.ts';
import { stdioServer } from '../test/providers.ts';
import { MCPFacade } from './mcp-facade.ts';
import { MCPRegistry } from './mcp-registry.ts';
import { ToolSessions } from './tool-sessions.ts';

const sessions = new ToolSessions();
afterAll(() => sessions[Symbol.asyncDispose]());

const providers = [
  { ...stdioServer('tools'), name: 'tools' },
  { ...stdioServer('raw', ['pages']), name: 'paged' },
  { ...stdioServer('raw', ['pages']), name: 'twin' },
  { ...stdioServer('raw'), name: 'missing', command: 'no-such-command-here' },
];

function facade(config: Partial<PlannedTools> = {}): { readonly tools: MCPFacade; readonly gateway: DirectGateway } {
  const gateway = new DirectGateway(sessions, providers);
  const defaults = { alias: 'kit', providers: ['tools'], allowTools: null, maxToolCallTurns: 5, timeoutMs: 60_000 };
  return { tools: new MCPFacade({ ...defaults, ...config }, gateway), gateway };
}

function contextOf(signal = new AbortController().signal): CallContext {
  let next = 3;
  return { row: 12, column: 'answer', signal, nextCall: () => next++, randomOf: () => Random.of(1, 'answer').at(12) };
}

function call(id: string, name: string, args: string): ToolCall {
  return { id, type: 'function', function: { name, arguments: args } };
}

const asking = (calls: readonly ToolCall[]): ChatMessage => ({ role: 'assistant', content: null, tool_calls: calls });

/** The tool messages that follow a response with these calls. */
async function run(tools: MCPFacade, calls: readonly ToolCall[], at = contextOf()): Promise<readonly ChatMessage[]> {
  const response = asking(calls);
  const [first, ...results] = await tools.processCompletionResponse(response, at);
  expect(first).toBe(response);
  return results;
}

const names = async (tools: MCPFacade): Promise<readonly string[]> =>
  (await tools.getToolSchemas()).map((schema) => schema.function.name);

test('lists the tools of its providers in order, once', { tags: 'long' }, async () => {
  const { tools, gateway } = facade({ providers: ['paged', 'tools'], allowTools: ['echo', 'two', 'one'] });
  expect(await Promise.all([names(tools), names(tools)])).toEqual([
    ['one', 'two', 'echo'],
    ['one', 'two', 'echo'],
  ]);
  expect(gateway.listings).toBe(2);
});

test('finds every tool that two providers offer, even if the allow-list hides it', async () => {
  const { tools } = facade({ providers: ['paged', 'tools', 'twin'], allowTools: ['echo'] });
  await expect(tools.getToolSchemas()).rejects.toMatchObject({
    code: 'tool/duplicate',
    data: {
      alias: 'kit',
      tool: 'one',
      providers: ['paged', 'twin'],
      others: ['two', 'three'].map((tool) => ({ tool, providers: ['paged', 'twin'] })),
    },
  });
});

test('names every allowed tool that no provider offers, and the nearest offered one', async () => {
  const { tools } = facade({ allowTools: ['echo', 'fial', 'dance'] });
  await expect(tools.getToolSchemas()).rejects.toMatchObject({
    code: 'tool/unknown',
    data: { alias: 'kit', tools: ['fial', 'dance'], providers: ['tools'], nearest: { fial: 'fail' } },
  });
});

test('names the provider that cannot be listed', async () => {
  const { tools } = facade({ providers: ['tools', 'missing'] });
  await expect(tools.getToolSchemas()).rejects.toMatchObject({
    code: 'tool/unavailable',
    data: { provider: 'missing' },
  });
});

test('answers in the order of the calls, however long each takes', async () => {
  const { tools } = facade();
  const calls = [
    call('a', 'wait', '{"ms":300,"text":"slow"}'),
    call('b', 'echo', '{"text":"quick"}'),
    call('c', 'wait', '{"ms":100,"text":"steady"}'),
  ];
  expect(await run(tools, calls)).toEqual([
    { role: 'tool', content: 'slow', tool_call_id: 'a' },
    { role: 'tool', content: 'quick', tool_call_id: 'b' },
    { role: 'tool', content: 'steady', tool_call_id: 'c' },
  ]);
});

test('returns every error of a model or a tool as a message, next to the results of the other calls', async () => {
  const { tools } = facade({ allowTools: ['echo', 'fail', 'crash'] });
  const calls = [
    call('1', 'sing', '{}'),
    call('2', 'wait', '{}'),
    call('3', 'echo', '{"text": '),
    call('4', 'echo', '["text"]'),
    call('5', 'fail', ''),
    call('6', 'crash', '{}'),
  ];
  const messages = await run(tools, calls);
  expect(messages.map(({ content }) => content)).toEqual([
    "Error: Tool 'sing' failed: there is no tool of this name; available tools: echo, fail, crash",
    "Error: Tool 'wait' failed: it is not allowed here; available tools: echo, fail, crash",
    "Error: Tool 'echo' failed: its arguments are not valid JSON",
    "Error: Tool 'echo' failed: its arguments must be a JSON object, not an array",
    "Error: Tool 'fail' failed: the shelf is empty",
    "Error: Tool 'crash' failed: its process ended with code 7; stderr: out of cheese; the outcome is unknown: the tool may have run",
  ]);
});

/** A facade that only lists tools: the given names of each provider, with its prefix if any. */
function listing(
  offers: Readonly<Record<string, { readonly prefix?: string; readonly names: readonly string[] }>>,
  allowTools: PlannedTools['allowTools'] = null,
) {
  const gateway = new DirectGateway(sessions, []);
  gateway.listTools = async (provider) => {
    const { names: listed, prefix } = offers[provider] ?? { names: [] };
    const parameters = { type: 'object' };
    const schemas = listed.map((name) => ({
      type: 'function' as const,
      function: { name, description: '', parameters },
    }));
    return prefix === undefined ? schemas : schemas.map((schema) => ({ ...schema, prefix }));
  };
  const config = { alias: 'kit', providers: Object.keys(offers), allowTools, maxToolCallTurns: 5, timeoutMs: 60_000 };
  return { tools: new MCPFacade(config, gateway), gateway };
}

test('two providers with prefixes may offer one name: the model sees both, and each call goes to its own provider', async () => {
  const { tools, gateway } = listing({
    a: { prefix: 'a_', names: ['find', 'get'] },
    b: { prefix: 'b_', names: ['find'] },
  });
  gateway.call = (asked) => {
    gateway.calls.push(asked);
    return Promise.resolve({ status: 200, headers: {}, body: '{"content":[]}' });
  };
  expect(await names(tools)).toEqual(['a_find', 'a_get', 'b_find']);
  expect(Object.keys((await tools.getToolSchemas())[0] ?? {})).toEqual(['type', 'function']);
  await run(tools, [call('1', 'b_find', '{}')]);
  expect(gateway.calls).toMatchObject([{ resource: 'tools/b', body: '{"name":"find","arguments":{}}' }]);
  expect(Object.keys(tools.counts)).toEqual(['b/find']);
});

test.each([
  [['find'], ['a_find', 'b_find']],
  [['b_find'], ['b_find']],
])('with prefixes, allow_tools takes names with and without them: %j', async (allowTools, told) => {
  const { tools } = listing({ a: { prefix: 'a_', names: ['find'] }, b: { prefix: 'b_', names: ['find'] } }, allowTools);
  expect(await names(tools)).toEqual(told);
});

test('the error for a tool of two providers includes the remedy', async () => {
  const { tools } = listing({ a: { prefix: 'x_', names: ['find'] }, b: { prefix: 'x_', names: ['find'] } });
  await expect(tools.getToolSchemas()).rejects.toThrow(
    "more than one provider offers the same tool: 'x_find' by a and b. Give each provider its own 'tool_prefix'",
  );
});

const saidOf = async (tools: MCPFacade, name: string): Promise<unknown> =>
  (await run(tools, [call('1', name, '{}')]))[0]?.content;

test('an unknown name gets a suggestion from the same provider only, and never a tool that is not allowed', async () => {
  const { tools: several } = listing({ a: { names: ['delete_file', 'read'] }, b: { names: ['delete_files'] } });
  expect(await saidOf(several, 'delete_fil')).toMatch(/there is no tool of this name; available tools/);
  expect(await saidOf(several, 'raed')).toMatch(/did you mean 'read'\?/);
  const { tools: marked } = listing({ a: { prefix: 'a_', names: ['get'] }, b: { prefix: 'b_', names: ['delete'] } });
  expect(await saidOf(marked, 'b_delet')).toMatch(/did you mean 'b_delete'\?/);
  expect(await saidOf(marked, 'a_delete')).not.toContain('did you mean');
  const { tools: limited } = listing({ a: { names: ['delete_file', 'delete_files'] } }, ['delete_files']);
  expect(await saidOf(limited, 'delete_fil')).not.toContain('did you mean');
  expect(await saidOf(limited, 'delete_filess')).toMatch(/did you mean 'delete_files'\?/);
});

test('calls of a disallowed tool are counted under its name, those of an invented one as unknown', async () => {
  const { tools } = listing({ a: { names: ['read', 'write'] } }, ['read']);
  await run(tools, [call('1', 'write', '{}'), call('2', 'fly', '{}')]);
  const { 'a/write': refused, '(unknown)': invented } = tools.counts;
  expect([Object.keys(tools.counts), refused?.errors, invented?.errors]).toEqual([['a/write', '(unknown)'], 1, 1]);
});

test('numbers only the calls that reach the gateway, in the order of the response', async () => {
  const { tools, gateway } = facade();
  await run(tools, [call('a', 'echo', '{"text":"x"}'), call('b', 'sing', '{}'), call('c', 'arguments', '{}')]);
  const address = { resource: 'tools/tools', path: 'tools/call', row: 12, column: 'answer', timeoutMs: 60_000 };
  expect(gateway.calls).toEqual([
    { ...address, call: 3, body: '{"name":"echo","arguments":{"text":"x"}}' },
    { ...address, call: 4, body: '{"name":"arguments","arguments":{}}' },
  ]);
});

test('keeps every digit of a long integer in the arguments', async () => {
  const { tools } = facade();
  const [message] = await run(tools, [call('a', 'arguments', '{"id":12345678901234567890,"x":1.0}')]);
  // The server is JavaScript too, so it shows the nearest number it can hold; the request had all digits.
  expect(message?.content).toContain('12345678901234567000');
});

test('gives each call the timeout of its tool alias', async () => {
  const { tools } = facade({ timeoutMs: 100 });
  const [message] = await run(tools, [call('a', 'wait', '{"ms":60000}')]);
  expect(message?.content).toBe("Error: Tool 'wait' failed: no answer within 100 ms");
});

test('throws when the gateway is lost', async () => {
  class LostGateway extends DirectGateway {
    override call(): Promise<CallOutcome> {
      return Promise.reject(new DataDesignerError('run/gateway-lost', { reason: 'it ended' }));
    }
  }
  const kit = { alias: 'kit', providers: ['tools'], allowTools: null, maxToolCallTurns: 5, timeoutMs: 60_000 };
  const tools = new MCPFacade(kit, new LostGateway(sessions, providers));
  await expect(run(tools, [call('a', 'echo', '{}')])).rejects.toMatchObject({ code: 'run/gateway-lost' });
});

test('throws when the run is stopped, also while calls are in flight', async () => {
  const { tools } = facade();
  const abort = new AbortController();
  const running = run(tools, [call('a', 'wait', '{"ms":5000}')], contextOf(abort.signal));
  setTimeout(() => abort.abort(new Error('enough')), 50);
  await expect(running).rejects.toMatchObject({ code: 'run/aborted' });
  await expect(run(tools, [], contextOf(abort.signal))).rejects.toMatchObject({ code: 'run/aborted' });
});

test('refuses each call with its own message', () => {
  const { tools } = facade();
  const response = asking([call('a', 'echo', '{}'), call('b', 'echo', '{}')]);
  const [first, ...messages] = tools.refuseCompletionResponse(response);
  expect(first).toBe(response);
  expect(messages.map((message) => message.tool_call_id)).toEqual(['a', 'b']);
  expect(messages[0]?.content).toContain('Give your final answer now');
});

test('returns its settings, and the names and descriptions of its tools', async () => {
  const { tools } = facade({ allowTools: ['fail'], timeoutMs: 1_500 });
  expect(tools).toMatchObject({ toolAlias: 'kit', providers: ['tools'], allowTools: ['fail'], timeoutSec: 1.5 });
  expect(await tools.getToolSummaries()).toEqual([{ name: 'fail', description: 'Throws.' }]);
});

test('counts the calls of a response', () => {
  const { tools } = facade();
  expect(tools.toolCallCount(asking([call('a', 'echo', '{}'), call('b', 'echo', '{}')]))).toBe(2);
  expect(tools.hasToolCalls(asking([call('a', 'echo', '{}')]))).toBe(true);
  expect(tools.hasToolCalls({ role: 'assistant', content: 'fine' })).toBe(false);
});

test('counts calls by provider and tool, and all invented names as one', { tags: 'long' }, async () => {
  // Only the waiting call exceeds this timeout, even on a busy machine.
  const { tools } = facade({ timeoutMs: 3_000 });
  await run(tools, [
    call('a', 'echo', '{"text":"x"}'),
    call('b', 'fail', ''),
    call('c', 'wait', '{"ms":60000}'),
    call('d', 'sing', '{}'),
    call('e', 'dance', '{}'),
    call('f', 'echo', '['),
  ]);
  expect(tools.counts).toMatchObject({
    'tools/echo': { calls: 2, errors: 1, timeouts: 0, bytes: expect.any(Number) },
    'tools/fail': { calls: 1, errors: 1, timeouts: 0 },
    'tools/wait': { calls: 1, errors: 1, timeouts: 1, bytes: 0 },
    '(unknown)': { calls: 2, errors: 2, timeouts: 0, bytes: 0, latency: [] },
  });
});

test('a registry makes the facade of an alias once', () => {
  const gateway = new DirectGateway(sessions, providers);
  const kit = { alias: 'kit', providers: ['tools'], allowTools: null, maxToolCallTurns: 2, timeoutMs: 60_000 };
  const registry = new MCPRegistry({ kit }, gateway);
  expect(registry.get('kit')).toBe(registry.get('kit'));
  expect(registry.get('kit').maxToolCallTurns).toBe(2);
  expect(() => registry.get('toString')).toThrow("no tool alias 'toString'");
});

/** Two providers with a tool of one name. */
function twoShops() {
  const { tools, gateway } = listing({
    a: { prefix: 'a_', names: ['find', 'get', 'web search'] },
    b: { prefix: 'b_', names: ['find', 'put'] },
  });
  const only = (...chosen: string[]) => tools.only({ column: 'answer', tools: chosen });
  return { tools, gateway, only };
}

test.each([
  [['put'], ['b_put']],
  [
    ['b_put', 'a/get', 'b/find'],
    ['a_get', 'b_find', 'b_put'],
  ],
  [
    ['a/a_find', 'a/web search', 'a_find'],
    ['a_find', 'a_web_search'],
  ],
  [[], []],
])('a question with the choice %j offers %j, in the order of the alias', async (chosen, offered) => {
  const { tools, only } = twoShops();
  expect(await names(only(...chosen))).toEqual(offered);
  expect(await names(tools)).toHaveLength(5);
});

test('a choice of a tool that its server lists twice offers the first one', async () => {
  const { tools } = listing({ a: { names: ['find', 'get', 'find'] } });
  for (const name of ['find', 'a/find']) {
    expect(await names(tools.only({ column: 'answer', tools: [name] }))).toEqual(['find']);
  }
});

test('a choice names every tool that the alias does not offer or offers twice', async () => {
  const { only } = twoShops();
  await expect(only('find', 'putt', 'a/git', 'dance', 'get').getToolSchemas()).rejects.toMatchObject({
    code: 'tool/not-offered',
    data: {
      column: 'answer',
      alias: 'kit',
      tools: [
        { name: 'find', meanings: ['a/find', 'b/find'] },
        { name: 'putt', nearest: 'put' },
        { name: 'a/git', nearest: 'a/get' },
        { name: 'dance' },
      ],
    },
  });
});

test('a call of a tool that the question does not offer is an error for the model, and never made', async () => {
  const { gateway, only } = twoShops();
  const messages = await run(only('put'), [call('1', 'a_get', '{}'), call('2', 'get', '{}')]);
  expect(messages.map(({ content }) => content)).toEqual([
    "Error: Tool 'a_get' failed: it is not allowed here; available tools: b_put",
    "Error: Tool 'get' failed: it is not allowed here; available tools: b_put",
  ]);
  expect(gateway.calls).toEqual([]);
});

test('the calls of all choices of an alias are counted together', async () => {
  const { tools, only } = twoShops();
  await run(only('put'), [call('1', 'a_get', '{}')]);
  await run(only('a/get'), [call('2', 'b_put', '{}')]);
  expect(Object.keys(tools.counts)).toEqual(['a/get', 'b/put']);
});
