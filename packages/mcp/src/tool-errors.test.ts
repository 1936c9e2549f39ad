import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Call,
  type CallOutcome,
  type CallContext,
  Random,
  type ToolCall,
  type ToolSchema,
} from '@data-designer/core';
import { DirectGateway } from '../test/direct-gateway.ts';
import { type RemoteServer, startStreamable } from '../test/http-server.ts';
import { stdioServer } from '../test/providers.ts';
import { defineTool } from './define-tool.ts';
import { LocalCalls } from './local-calls.ts';
import { LocalHost } from './local-host.ts';
import { LocalProviders } from './local-providers.ts';
import { MCPFacade } from './mcp-facade.ts';
import { toolStatistics } from './tool-counts.ts';
import { keptOutcome } from './tool-outcome.ts';
import { readFunctionRequest } from './tool-request.ts';
import { ToolSessions } from './tool-sessions.ts';

const parameters = { type: 'object', properties: { n: { type: 'integer' }, ms: { type: 'number' } } };
const big = 'x'.repeat(1_000);

const UNREADABLE = { type: 'image', data: 'a picture!', mimeType: 'image/png' };

const functions = [
  defineTool({ name: 'f_echo', parameters, execute: (args) => args }),
  defineTool({
    name: 'f_fail',
    parameters,
    execute: () => {
      throw new Error('the shelf is empty');
    },
  }),
  defineTool({
    name: 'f_say_no',
    parameters,
    execute: () => ({ content: [{ type: 'text', text: 'no' }], isError: true }),
  }),
  defineTool({ name: 'f_hang', parameters, execute: () => new Promise(() => {}) }),
  defineTool({ name: 'f_long', parameters, execute: () => big }),
  defineTool({ name: 'f_huge', parameters, execute: () => 'x'.repeat(33 * 1024 * 1024) }),
  defineTool({ name: 'f_malformed', parameters, execute: () => ({ content: [UNREADABLE] }) }),
];

/** A gateway to servers and functions, without threads. */
class WholeGateway extends DirectGateway {
  readonly #local: LocalProviders;

  constructor(...[sessions, providers]: ConstructorParameters<typeof DirectGateway>) {
    super(sessions, providers);
    const host = new LocalHost([{ name: 'mine', providerType: 'local', tools: functions }]);
    const calls: LocalCalls = new LocalCalls((ask) => host.take(ask, (ended) => calls.take(ended)));
    this.#local = new LocalProviders(host.sources, { host: calls });
  }

  override async call(call: Call): Promise<CallOutcome> {
    if (call.resource !== 'tools/mine') return super.call(call);
    const { timeoutMs } = call;
    return keptOutcome(await this.#local.call('mine', readFunctionRequest(call.body), { timeoutMs }), 1);
  }

  override listTools(provider: string): Promise<readonly ToolSchema[]> {
    return provider === 'mine' ? this.#local.listTools(provider) : super.listTools(provider);
  }
}

const sessions = new ToolSessions();
let remote: RemoteServer;
let kit: MCPFacade;

beforeAll(async () => {
  remote = await startStreamable();
  const everything = {
    name: 'everything',
    providerType: 'stdio',
    command: 'node_modules/.bin/mcp-server-everything',
    args: ['stdio'],
    env: {},
  } as const;
  const providers = [
    { ...stdioServer('tools'), name: 'tools' },
    { name: 'remote', providerType: 'streamable_http', endpoint: remote.endpoint } as const,
    everything,
  ];
  const gateway = new WholeGateway(sessions, providers);
  kit = new MCPFacade(
    {
      alias: 'kit',
      providers: ['everything', 'mine'],
      allowTools: [
        'get-sum',
        'get-structured-content',
        'get-tiny-image',
        'get-annotated-message',
        ...functions.map(({ name }) => name),
      ],
      maxToolCallTurns: 5,
      timeoutMs: 5_000,
    },
    gateway,
  );
  facades = {
    tools: facade(gateway, 'tools', 20_000),
    brief: facade(gateway, 'tools', 500),
    remote: facade(gateway, 'remote', 500),
  };
});

let facades: Readonly<Record<'tools' | 'brief' | 'remote', MCPFacade>>;

function facade(gateway: WholeGateway, provider: string, timeoutMs: number): MCPFacade {
  const config = { alias: provider, providers: [provider], allowTools: null, maxToolCallTurns: 5, timeoutMs };
  return new MCPFacade(config, gateway);
}

afterAll(async () => {
  await sessions[Symbol.asyncDispose]();
  await remote[Symbol.asyncDispose]();
});

function contextOf(): CallContext {
  let next = 0;
  return {
    row: 1,
    column: 'a',
    signal: new AbortController().signal,
    nextCall: () => next++,
    randomOf: () => Random.of(1, 'a').at(1),
  };
}

/** What the model sees of one call. */
async function shown(name: string, args: string, box: MCPFacade = kit): Promise<unknown> {
  const call: ToolCall = { id: 'c', type: 'function', function: { name, arguments: args } };
  const [, message] = await box.processCompletionResponse(
    { role: 'assistant', content: null, tool_calls: [call] },
    contextOf(),
  );
  return message?.content;
}

const error = (name: string, reason: string): string => `Error: Tool '${name}' failed: ${reason}`;

const DEEP = 'its arguments are nested too deeply';

describe('a model is told', () => {
  test.each<[string, string, string, string]>([
    ['of an error that a function throws', 'f_fail', '{}', 'the shelf is empty'],
    ['of a result that is marked as an error', 'f_say_no', '{}', 'no'],
    ['of arguments that are nested too deeply', 'f_echo', `{"n":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, DEEP],
    ['of arguments that are not JSON', 'f_echo', '{"n":', 'its arguments are not valid JSON'],
    ['of arguments that are not an object', 'get-sum', '[1,2]', 'its arguments must be a JSON object, not an array'],
    [
      'of wrong arguments of a function',
      'f_echo',
      '{"n":"x"}',
      `its arguments do not fit: 'n' must be of type integer, but it is "x"`,
    ],
    [
      'of wrong arguments of a server',
      'get-sum',
      '{"a":1,"b":"x"}',
      `its arguments do not fit: 'b' must be of type number, but it is "x"`,
    ],
    [
      'of missing arguments',
      'get-sum',
      '{"a":1}',
      "its arguments do not fit: the arguments object lacks the required property 'b'",
    ],
    [
      'of an argument outside its allowed values',
      'get-structured-content',
      '{"location":"Rome"}',
      `its arguments do not fit: 'location' must be one of "New York", "Chicago", "Los Angeles", but it is "Rome"`,
    ],
    [
      'of a tool that is not allowed',
      'get-env',
      '{}',
      'it is not allowed here; available tools: get-annotated-message, get-structured-content, get-sum, get-tiny-image, f_echo, f_fail, f_say_no, f_hang, f_long, f_huge, f_malformed',
    ],
    ['of a result that is malformed', 'f_malformed', '{}', 'its result cannot be read: an image item holds no Base64'],
    [
      'of a result that is too large',
      'f_huge',
      '{}',
      'its result is too large: 34603047 characters, at most 33554432 may come back',
    ],
  ])('%s', { tags: 'long' }, async (...[, name, args, reason]) => {
    expect(await shown(name, args)).toBe(error(name, reason));
  });

  test('of an unknown tool, with the nearest name', async () => {
    expect(await shown('get_sum', '{}')).toMatch(
      /^Error: Tool 'get_sum' failed: there is no tool of this name, did you mean 'get-sum'\?; available tools: /,
    );
  });

  test('of a server error, a timeout and a lost connection, whatever the transport', { tags: 'long' }, async () => {
    const { tools, brief, remote: far } = facades;
    expect(await shown('fail', '{}', tools)).toBe(error('fail', 'the shelf is empty'));
    expect(await shown('wait', '{"ms":60000}', brief)).toBe(error('wait', 'no answer within 500 ms'));
    expect(await shown('wait', '{"ms":60000}', far)).toBe(error('wait', 'no answer within 500 ms'));
    expect(await shown('crash', '{}', tools)).toMatch(/^Error: Tool 'crash' failed: its process ended with code 7/);
    await remote[Symbol.asyncDispose]();
    expect(await shown('echo', '{"text":"x"}', far)).toMatch(
      /^Error: Tool 'echo' failed: no (connection|answer within 500 ms)/,
    );
  });

  test('of a function that hangs', async () => {
    const config = { alias: 'k', providers: ['mine'], allowTools: null, maxToolCallTurns: 5, timeoutMs: 100 };
    const quick = new MCPFacade(config, new WholeGateway(sessions, []));
    expect(await shown('f_hang', '{}', quick)).toBe(error('f_hang', 'no answer within 100 ms'));
  });
});

test('arguments of the wrong type are converted if that loses nothing', async () => {
  expect(await shown('get-sum', '{"a":"1","b":2}')).toBe('The sum of 1 and 2 is 3.');
  expect(await shown('f_echo', '{"n":"12345678901234567890","ms":null}')).toBe('{"n":12345678901234567890}');
});

test('a result is cut at the limit of its tool config, with a note', async () => {
  const config = { alias: 'k', providers: ['mine'], allowTools: null, maxToolCallTurns: 5, timeoutMs: 60_000 };
  const short = new MCPFacade({ ...config, maxResultChars: 10 }, new WholeGateway(sessions, []));
  expect(await shown('f_long', '{}', short)).toBe(
    'xxxxxxxxxx\n[The result was cut here: 10 of its 1000 characters are shown.]',
  );
  expect(await shown('f_long', '{}')).toBe(big);
});

test('images and annotated results of a published server are shown', async () => {
  expect(await shown('get-tiny-image', '{}')).toEqual([
    expect.objectContaining({ type: 'text' }),
    { type: 'image', media_type: 'image/png', url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) },
    expect.objectContaining({ type: 'text' }),
  ]);
  expect(await shown('get-annotated-message', '{"messageType":"debug"}')).toMatch(/^Debug: /);
});

test('failed calls are counted by kind, without the values of their arguments', async () => {
  const box = facade(new WholeGateway(sessions, [{ ...stdioServer('tools'), name: 'tools' }]), 'mine', 300);
  for (const name of ['f_fail', 'f_say_no', 'f_hang', 'f_huge', 'f_malformed', 'f_gone']) await shown(name, '{}', box);
  await shown('f_echo', '{"n":"x"}', box);
  await shown('f_echo', '{"n":"y"}', box);
  await shown('f_echo', '{"n":1}', box);
  const found = Object.entries(toolStatistics(box.counts)).map(([tool, { failures }]) => [tool, failures]);
  expect(Object.fromEntries(found)).toMatchObject({
    f_fail: [{ kind: 'tool', reason: 'the shelf is empty', calls: 1 }],
    f_say_no: [{ kind: 'tool', reason: 'no', calls: 1 }],
    f_hang: [{ kind: 'timeout', calls: 1 }],
    f_huge: [{ kind: 'result', calls: 1 }],
    f_malformed: [{ kind: 'result', calls: 1 }],
    f_echo: [
      { kind: 'arguments', reason: `its arguments do not fit: 'n' must be of type integer, but it is "…"`, calls: 2 },
    ],
    '(unknown)': [{ kind: 'unknown-tool', calls: 1 }],
  });
});

test('calls that lost their connection are told from calls that a server refused', { tags: 'long' }, async () => {
  const box = facade(new WholeGateway(sessions, [{ ...stdioServer('tools'), name: 'tools' }]), 'tools', 20_000);
  await shown('crash', '{}', box);
  expect(toolStatistics(box.counts)['crash']?.failures).toMatchObject([{ kind: 'connection', calls: 1 }]);
});
