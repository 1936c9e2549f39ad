import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DataDesigner, DataDesignerConfigBuilder, defineTool } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MCPProviderSettings } from '@data-designer/config';
import type { RunEvent } from '@data-designer/engine';
import { isAlive, until } from '../packages/mcp/test/providers.ts';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { type ModelRequest, toolCalls } from './calling-model.ts';
import { type Started, startDataDesigner } from './command-line.ts';

let artifactPath: string;

beforeEach(() => {
  artifactPath = mkdtempSync(join(tmpdir(), 'tools-per-row-'));
});

afterEach(() => rmSync(artifactPath, { recursive: true }));

/** A model that calls the tool which the prompt ends with, and then answers with the result; keeps the requests. */
async function callingModel(requests: ModelRequest[]): Promise<AnsweringServer> {
  return openAnsweringServer((body, response) => {
    const asked = JSON.parse(body) as ModelRequest;
    requests.push(asked);
    const { role, content } = asked.messages.at(-1) ?? {};
    const text = content ?? '';
    if (role === 'tool') return reply(response, completion(text));
    return reply(response, toolCalls([{ name: text.split(' ').at(-1) ?? '', arguments: {} }], 1));
  });
}

const called: string[] = [];
const tools = ['get', 'put', 'find'].map((name) =>
  defineTool({
    name,
    parameters: { type: 'object' },
    execute: () => {
      called.push(name);
      return `${name} ran`;
    },
  }),
);

function designer(model: AnsweringServer): DataDesigner {
  const models = [{ name: 'own', endpoint: model.origin, apiKey: 'none' }];
  return new DataDesigner({
    artifactPath,
    providers: { models, tools: [{ name: 'kit', providerType: 'local', tools }] },
    runConfig: { seed: 4, disableEarlyShutdown: true },
  });
}

/** Rows whose question offers the tools `offered`, and whose model calls the tool `asked`. */
function declared(allowTools: string | string[]) {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'm', model: 'x', provider: 'own', skipHealthCheck: true })
    .addToolConfig({ toolAlias: 'kit', providers: ['kit'] })
    .addColumn({ name: 'offered', columnType: 'sampler', samplerType: 'category', params: { values: ['get', 'put'] } })
    .addColumn({ name: 'asked', columnType: 'sampler', samplerType: 'category', params: { values: ['get', 'find'] } })
    .addColumn({
      name: 'answer',
      columnType: 'llm-text',
      modelAlias: 'm',
      toolAlias: 'kit',
      allowTools,
      prompt: 'Call {{ asked }}',
    });
}

test('each row offers the tools of its own list, and no call of another tool is made', async () => {
  const requests: ModelRequest[] = [];
  using model = await callingModel(requests);
  called.length = 0;
  await using making = designer(model);
  const made = await making.preview(declared('{{ [offered] }}'), { numRecords: 20 });
  const rows = await Array.fromAsync(made.records());
  expect(rows).toHaveLength(20);
  for (const { offered, asked, answer } of rows) {
    const isOffered = offered === asked;
    expect(answer).toBe(
      isOffered ? `${asked} ran` : `Error: Tool '${asked}' failed: it is not allowed here; available tools: ${offered}`,
    );
  }
  expect(called).toEqual(rows.filter(({ offered, asked }) => offered === asked).map(() => 'get'));
  expect(requests.every((request) => request.tools?.length === 1)).toBe(true);
  const told = new Set(requests.map((request) => request.tools?.[0]?.function.name));
  expect(told).toEqual(new Set(['get', 'put']));
});

test('a name in a list that no provider has ends a run and a check before the first request', async () => {
  const requests: ModelRequest[] = [];
  using model = await callingModel(requests);
  await using making = designer(model);
  const config = declared(['get', 'fund']);
  const message = "no provider of the tools 'kit' offers a tool 'fund'. Did you mean 'find'?";
  await expect(making.create(config, { numRecords: 2 })).rejects.toThrow(message);
  expect(requests).toEqual([]);
  await expect(making.checkModels(config)).rejects.toThrow(message);
});

test('a name in the list of a row that no provider has fails its cell alone', async () => {
  using model = await callingModel([]);
  await using making = designer(model);
  const made = await making.create(declared("{{ ['fund' if offered == 'put' else 'get'] }}"), { numRecords: 20 });
  const rows = await Array.fromAsync(made.records());
  expect(rows.every(({ offered }) => offered === 'get')).toBe(true);
  expect(rows.length).toBeGreaterThan(0);
  const failures = await Array.fromAsync(made.failures());
  expect(failures).toHaveLength(20 - rows.length);
  expect(new Set(failures.map(({ column, code }) => `${column}: ${code}`))).toEqual(
    new Set(['answer: tool/not-offered']),
  );
});

/** Servers that are declared, each with one tool, and what they log. */
function declaredServers(count: number) {
  const log = join(artifactPath, 'servers.log');
  writeFileSync(log, '');
  const program = fileURLToPath(new URL('./many-tool-server.ts', import.meta.url));
  const names = Array.from({ length: count }, (_, index) => `tool_${index}`);
  const providers = names.map((name): MCPProviderSettings => ({
    name,
    providerType: 'stdio',
    command: process.execPath,
    args: [program, name, log],
  }));
  const lines = (kind: 'start' | 'call') =>
    readFileSync(log, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [what, name = '', pid] = line.split(' ');
        return what === kind ? [{ name, pid: Number(pid) }] : [];
      });
  return { names, providers, lines };
}

/** Rows with one to three of the tools, of which the model calls the first. */
function choosing(names: readonly string[], most = 3) {
  const lists = names.map((name, index) => [name, ...names.slice(index + 1, index + 1 + (index % most))]);
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'm', model: 'x', provider: 'own', skipHealthCheck: true })
    .addToolConfig({ toolAlias: 'all', providers: [...names] })
    .addColumn({
      name: 'offered',
      columnType: 'sampler',
      samplerType: 'category',
      params: { values: lists.map((list) => JSON.stringify(list)) },
    })
    .addColumn({
      name: 'answer',
      columnType: 'llm-text',
      modelAlias: 'm',
      toolAlias: 'all',
      allowTools: '{{ offered }}',
      prompt: 'Call {{ offered[0] }}',
    });
}

function designerOf(model: AnsweringServer, providers: readonly MCPProviderSettings[], runConfig: object = {}) {
  const models = [{ name: 'own', endpoint: model.origin, apiKey: 'none' }];
  return new DataDesigner({
    artifactPath,
    providers: { models, tools: providers },
    runConfig: { seed: 4, ...runConfig },
  });
}

test(
  'servers are listed, end, and start again at their first call; a resume offers the same tools',
  { tags: 'long' },
  async () => {
    using model = await callingModel([]);
    const { names, providers, lines } = declaredServers(6);
    await using making = designerOf(model, providers, { maxToolServers: 2 });
    const options = { datasetName: 'rows', numRecords: 4 };
    const made = await making.create(choosing(names), options);
    const rows = await Array.fromAsync(made.records());
    const first = rows.map(({ offered }) => (JSON.parse(offered) as string[])[0]);
    expect(rows.map(({ answer }) => answer)).toEqual(first.map((name) => `${name} ran`));
    const starts = Map.groupBy(lines('start'), ({ name }) => name);
    expect(Object.fromEntries([...starts].map(([name, all]) => [name, all.length > 1]))).toEqual(
      Object.fromEntries(names.map((name) => [name, first.includes(name)])),
    );
    expect(lines('start').every(({ pid }) => !isAlive(pid))).toBe(true);
    const record = JSON.parse(readFileSync(join(made.path, 'run.json'), 'utf8')) as { tools: object };
    expect(Object.keys(record.tools)).toEqual(names);
    const changed = providers.map((one) =>
      one.name === 'tool_5' && 'args' in one ? { ...one, args: (one.args ?? []).with(1, 'tool_x') } : one,
    );
    const events: RunEvent[] = [];
    await using resuming = designerOf(model, changed);
    const onEvent = (event: RunEvent) => void events.push(event);
    await resuming.create(choosing(names), { ...options, numRecords: 5, resume: 'always', onEvent });
    expect(events.filter(({ type }) => type === 'tools-change')).toEqual([
      { type: 'tools-change', provider: 'tool_5' },
    ]);
  },
);

test(
  'a server with a file of its tools starts at its first call, and a difference is named',
  { tags: 'long' },
  async () => {
    using model = await callingModel([]);
    const { names, providers, lines } = declaredServers(4);
    const toolsFile = join(artifactPath, 'tools.json');
    const other = { name: 'gone', description: '', inputSchema: { type: 'object', properties: {} } };
    const listed = names.map((name) => ({
      provider: name,
      tools: [{ ...other, name }, ...(name === 'tool_1' ? [other] : [])],
    }));
    writeFileSync(toolsFile, JSON.stringify({ listed_at: '2026-01-01T00:00:00.000Z', providers: listed }));
    await using making = designerOf(
      model,
      providers.map((one) => ({ ...one, toolsFile })),
    );
    const events: RunEvent[] = [];
    const onEvent = (event: RunEvent) => void events.push(event);
    const config = choosing(names.slice(0, 2), 1);
    const made = await making.create(config, { numRecords: 8, onEvent });
    expect(made.count).toBe(8);
    expect(
      lines('start')
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['tool_0', 'tool_1']);
    expect(events.filter(({ type }) => type === 'tools-change')).toEqual([
      {
        type: 'tools-change',
        provider: 'tool_1',
        file: { provider: 'tool_1', path: toolsFile, listedAt: '2026-01-01T00:00:00.000Z' },
        differences: ['gone: gone'],
      },
    ]);
  },
);

/** Rows whose model calls a tool that may fail. */
function failing(onToolFailure: 'continue' | 'fail_cell' | 'abort') {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'm', model: 'x', provider: 'own', skipHealthCheck: true })
    .addToolConfig({ toolAlias: 'kit', providers: ['kit'], onToolFailure })
    .addColumn({ name: 'asked', columnType: 'sampler', samplerType: 'category', params: { values: ['get', 'dance'] } })
    .addColumn({
      name: 'answer',
      columnType: 'llm-text',
      modelAlias: 'm',
      toolAlias: 'kit',
      prompt: 'Call {{ asked }}',
    });
}

/** A designer whose only tool fails while it is broken. */
function breakable(model: AnsweringServer, state: { isBroken: boolean }) {
  const get = defineTool({
    name: 'get',
    parameters: { type: 'object' },
    execute: () => {
      if (state.isBroken) throw new Error('the shelf is empty');
      return 'got';
    },
  });
  const models = [{ name: 'own', endpoint: model.origin, apiKey: 'none' }];
  return new DataDesigner({
    artifactPath,
    providers: { models, tools: [{ name: 'kit', providerType: 'local', tools: [get] }] },
    runConfig: { seed: 4, disableEarlyShutdown: true },
  });
}

const UNKNOWN = "Error: Tool 'dance' failed: there is no tool of this name; available tools: get";

test(
  'a tool that fails costs its cell where the tool config says so; mistakes of the model do not',
  { tags: 'long' },
  async () => {
    using model = await callingModel([]);
    await using making = breakable(model, { isBroken: true });
    const kept = await making.create(failing('continue'), { numRecords: 12 });
    expect(kept.count).toBe(12);
    const made = await making.create(failing('fail_cell'), { numRecords: 12 });
    const rows = await Array.fromAsync(made.records());
    expect(rows.map(({ answer }) => answer)).toEqual(rows.map(() => UNKNOWN));
    const failures = await Array.fromAsync(made.failures());
    expect(failures.length).toBe(12 - rows.length);
    expect(failures[0]).toMatchObject({ column: 'answer', code: 'tool/call-failed' });
    expect(made.tools['get']).toMatchObject({ calls: failures.length, errors: failures.length });
  },
);

test(
  'a tool that fails ends the run where the tool config says so, and a resume asks the cell anew',
  { tags: 'long' },
  async () => {
    using model = await callingModel([]);
    const state = { isBroken: true };
    await using making = breakable(model, state);
    const options = { numRecords: 12, datasetName: 'ended' };
    await expect(making.create(failing('abort'), options)).rejects.toMatchObject({
      code: 'run/cell-failed',
      message: expect.stringContaining("the tool 'kit/get' failed: the shelf is empty"),
    });
    state.isBroken = false;
    const made = await making.create(failing('abort'), { ...options, resume: 'always' });
    const rows = await Array.fromAsync(made.records());
    expect(rows.map(({ answer }) => answer)).toEqual(rows.map(({ asked }) => (asked === 'get' ? 'got' : UNKNOWN)));
    expect(rows).toHaveLength(12);
  },
);

test('a run ends by name when a server has answered none of its first ten calls', { tags: 'long' }, async () => {
  using model = await callingModel([]);
  const { names, providers, lines } = declaredServers(1);
  const [server] = providers;
  const dead = server && 'args' in server ? [{ ...server, args: [...(server.args ?? []), 'deadly'] }] : [];
  await using making = designerOf(model, dead, { maxConcurrentRowGroups: 1, bufferSize: 5 });
  const options = { numRecords: 200, datasetName: 'dead' };
  await expect(making.create(choosing(names), options)).rejects.toMatchObject({
    code: 'tool/never-answered',
    data: { provider: 'tool_0', calls: 10 },
  });
  await using mended = designerOf(model, providers);
  const made = await mended.create(choosing(names), { ...options, resume: 'always' });
  expect(made.count).toBe(200);
  expect(lines('call').length).toBeGreaterThan(100);
});

const SERVERS = 500;
const UNREACHABLE = 20;
const ROWS = 300;

/** Writes a declaration with servers that rows choose among, and servers that no column can reach; returns the words of a run. */
function writeMany(model: AnsweringServer, names: readonly string[], providers: readonly MCPProviderSettings[]) {
  const at = (name: string) => join(artifactPath, name);
  choosing(names.slice(0, SERVERS)).writeConfig(at('config.json'));
  const own = { name: 'own', endpoint: model.origin, api_key: 'none', provider_type: 'openai' };
  const servers = providers.map((one) =>
    'args' in one ? { ...one, provider_type: 'stdio', providerType: undefined } : one,
  );
  writeFileSync(at('providers.json'), JSON.stringify({ providers: [own, ...servers] }));
  const where = ['-n', String(ROWS), '-o', artifactPath, '-d', 'many', '--seed', '4'];
  return ['create', at('config.json'), '--providers', at('providers.json'), ...where];
}

/** The number of processes of servers, by what their command lines name. */
function alive(): number {
  const log = join(artifactPath, 'servers.log');
  const isNaming = (pid: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(log);
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isNaming(name)).length;
}

/** Runs a command and counts the processes of servers that are alive, until it ends. */
async function watched(started: Started) {
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, alive())), 100);
  const { code, stderr } = await started.finished;
  clearInterval(timer);
  return { code, stderr, most };
}

test.skipIf(process.platform !== 'linux')(
  `of ${SERVERS} servers, 16 are alive at most, none starts that is neither listed nor used, and none is left after a kill`,
  { tags: 'long', timeout: 900_000 },
  async () => {
    using model = await callingModel([]);
    const { names, providers, lines } = declaredServers(SERVERS + UNREACHABLE);
    const words = writeMany(model, names, providers);
    const killed = startDataDesigner(words);
    const watching = watched(killed);
    while (killed.child.exitCode === null && lines('call').length < 40) await sleep(20);
    killed.child.kill('SIGKILL');
    expect((await watching).most).toBeLessThanOrEqual(16);
    await until(() => alive() === 0);
    const before = lines('start').length;
    const { code, stderr, most } = await watched(startDataDesigner([...words, '--resume', 'always']));
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(most).toBeLessThanOrEqual(16);
    expect(alive()).toBe(0);
    const calls = new Set(lines('call').map(({ pid }) => pid));
    for (const starts of [lines('start').slice(0, before), lines('start').slice(before)]) {
      const byName = Map.groupBy(starts, ({ name }) => name);
      expect([...byName.keys()].toSorted()).toEqual(names.slice(0, SERVERS).toSorted());
      const unused = [...byName.values()].flatMap(([, ...further]) => further.filter(({ pid }) => !calls.has(pid)));
      // A call that was killed with its run left no line.
      expect(unused.length).toBeLessThanOrEqual(starts.length === before ? 16 : 0);
    }
    const { length: starts } = lines('start');
    process.stdout.write(
      `${starts} starts (${before} before the kill), at most ${most} alive, ${calls.size} servers called\n`,
    );
  },
);
