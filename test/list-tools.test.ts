import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isAlive, stdioServer, until } from '../packages/mcp/test/providers.ts';
import { publishedServer } from '../packages/mcp/test/published.ts';
import { openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { type ModelRequest, playAgent } from './calling-model.ts';
import { type Finished, runCommand, startDataDesigner } from './command-line.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'list-tools-'));
  mkdirSync(join(folder, 'home'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** A provider as files have it. */
interface Provider {
  readonly name: string;
  readonly [key: string]: unknown;
}

/** The document that the command writes. */
interface ToolLists {
  readonly listed_at: string;
  readonly providers: readonly {
    readonly provider: string;
    readonly tools: readonly { readonly name: string; readonly inputSchema: object }[];
  }[];
  readonly failed?: readonly { readonly provider: string; readonly error: { readonly code: string } }[];
}

const env = () => ({ DATA_DESIGNER_HOME: join(folder, 'home') });

function write(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

function declare(...providers: readonly Provider[]): void {
  write('home/mcp_providers.yaml', { providers });
}

/** Runs `mcp list-tools` in the folder of the test. */
function list(...args: readonly string[]): Promise<Finished> {
  return runCommand(['mcp', 'list-tools', ...args], { env: env(), cwd: folder });
}

function listsIn({ stdout }: Pick<Finished, 'stdout'>): ToolLists {
  return JSON.parse(stdout) as ToolLists;
}

/** The names of the tools, by provider. */
function namesIn({ providers }: ToolLists): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(providers.map(({ provider, tools }) => [provider, tools.map(({ name }) => name)]));
}

/** A small server of this repository, whose starts and ends go to a log. */
function smallServer(name: string, others: object = {}): Provider {
  const program = fileURLToPath(new URL('./many-tool-server.ts', import.meta.url));
  const log = join(folder, 'servers.log');
  return { name, provider_type: 'stdio', command: process.execPath, args: [program, name, log], ...others };
}

function published(server: Parameters<typeof publishedServer>[0], args: readonly string[] = []): Provider {
  const { name, command, args: words, env: variables } = publishedServer(server, args);
  return { name, provider_type: 'stdio', command, args: words, env: variables };
}

/** The events of the small servers, in order. */
function events(): readonly { readonly what: string; readonly name: string; readonly pid: number }[] {
  const log = join(folder, 'servers.log');
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  return lines.map((line) => {
    const [what = '', name = '', pid] = line.split(' ');
    return { what, name, pid: Number(pid) };
  });
}

const started = () => events().flatMap(({ what, name }) => (what === 'start' ? [name] : []));

test('lists the tools of all providers of the home folder, of published servers too', { tags: 'long' }, async () => {
  const memory = { ...published('memory'), tool_prefix: 'graph_' };
  // A server of a row is listed in an empty folder.
  declare(memory, published('filesystem', ['{{ row_dir }}']), published('everything'));
  const { code, stdout, stderr } = await list('--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lists = listsIn({ stdout });
  const names = namesIn(lists);
  expect(Object.keys(names)).toEqual(['memory', 'filesystem', 'everything']);
  expect(names).toMatchObject({
    memory: expect.arrayContaining(['create_entities', 'read_graph']),
    filesystem: expect.arrayContaining(['read_text_file', 'write_file']),
    everything: expect.arrayContaining(['echo', 'get-sum']),
  });
  expect(Object.keys(lists)).toEqual(['listed_at', 'providers']);
  expect(new Date(lists.listed_at).toISOString()).toBe(lists.listed_at);
  const echo = lists.providers.flatMap(({ tools }) => tools).find(({ name }) => name === 'echo');
  expect(echo).toEqual({
    name: 'echo',
    description: 'Echoes back the input string',
    inputSchema: expect.objectContaining({ type: 'object', required: ['message'] }),
  });
});

test('prints a line for each tool', async () => {
  declare(smallServer('first', { tool_prefix: 'own_' }), smallServer('second'));
  const { code, stdout } = await list();
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'first: 1 tool\n  first\n\nsecond: 1 tool\n  second\n' });
});

test('starts each server once, at most 16 at a time, and ends it', { tags: 'long', timeout: 60_000 }, async () => {
  const names = Array.from({ length: 40 }, (_, index) => `tool_${index}`);
  declare(...names.map((name) => smallServer(name)));
  const { code, stdout } = await list('--json');
  expect(code).toBe(0);
  expect(namesIn(listsIn({ stdout }))).toEqual(Object.fromEntries(names.map((name) => [name, [name]])));
  expect(started().toSorted()).toEqual(names.toSorted());
  // A server that does not end in time is killed, and logs no end.
  const most = Math.max(...events().flatMap(({ what, name }) => (what === 'alive' ? [Number(name)] : [])));
  expect(most).toBeLessThanOrEqual(16);
  expect(most).toBeGreaterThan(1);
  expect(events().filter(({ pid }) => isAlive(pid))).toEqual([]);
});

/** A declaration with tool configs, most of whose other parts have mistakes. */
function toolsOnly(...configs: readonly object[]): object {
  return { columns: [{ name: 'x', column_type: 'no-such-type' }], tool_configs: configs };
}

test('lists what the tool configs of a config name, whatever mistakes its other parts have', async () => {
  declare(smallServer('first'), smallServer('second'), smallServer('third'));
  const config = write('config.json', {
    data_designer: {
      ...toolsOnly({ tool_alias: 'a', providers: ['third', 'first'] }, { tool_alias: 'b', providers: ['first'] }),
      seed_config: { source: { seed_type: 'mcp-tools', path: 'not-written-yet.json' } },
    },
  });
  const { code, stdout } = await list(config, '--json');
  expect(code).toBe(0);
  expect(Object.keys(namesIn(listsIn({ stdout })))).toEqual(['third', 'first']);
  expect(started().toSorted()).toEqual(['first', 'third']);
});

test(
  'reads the tool configs of all stages of a workflow, and those of the home folder that columns name',
  { tags: 'long' },
  async () => {
    declare(smallServer('first'), smallServer('second'), smallServer('third'), smallServer('fourth'));
    write('home/tool_configs.yaml', {
      tool_configs: [
        { tool_alias: 'known', providers: ['second'] },
        { tool_alias: 'unused', providers: ['fourth'] },
      ],
    });
    const asks = { column_type: 'llm-text', model_alias: 'm', prompt: 'Hi', name: 'x', tool_alias: 'known' };
    write('second.json', { columns: [asks] });
    const flow = write('flow.json', {
      stages: [
        { name: 'one', config: toolsOnly({ tool_alias: 'a', providers: ['third'] }) },
        { name: 'two', config: 'second.json' },
      ],
    });
    const { stdout } = await list(flow, '--json');
    expect(Object.keys(namesIn(listsIn({ stdout })))).toEqual(['third', 'second']);
  },
);

test('reads a config that is a program, and names the functions that it exports', { tags: 'long' }, async () => {
  declare(smallServer('first'), smallServer('second'));
  const path = join(folder, 'config.mjs');
  writeFileSync(
    path,
    `export const shout = { name: 'shout', parameters: { type: 'object' }, execute: () => '' };
export default ([name]) => ({ document: { columns: [], toolConfigs: [{ toolAlias: 'a', providers: [name, 'functions'] }] }, spelling: 'camel', source: 'x' });`,
  );
  const { stdout, stderr } = await list('--json', path, '--', 'second');
  expect(Object.keys(namesIn(listsIn({ stdout })))).toEqual(['second']);
  expect(stderr).toContain("Not listed: 'functions', whose tools come from no MCP server.");
});

test('lists the server of an environment, and names an environment with tools of its own', async () => {
  declare(smallServer('first'), smallServer('second'));
  const config = write('config.json', {
    columns: [],
    environments: [
      { name: 'own', kind: 'mcp', provider: 'second' },
      { name: 'bank', kind: 'sqlite', schema: 'CREATE TABLE a (b TEXT)', tools: [] },
    ],
    tool_configs: [{ tool_alias: 'a', providers: ['bank', 'own'] }],
  });
  const { stdout, stderr } = await list(config, '--json');
  expect(Object.keys(namesIn(listsIn({ stdout })))).toEqual(['second']);
  expect(stderr).toContain("Not listed: 'bank', whose tools come from no MCP server.");
});

test('refuses a config whose tool configs have mistakes, or name no provider', async () => {
  declare(smallServer('first'));
  const misspelt = write('misspelt.json', { columns: [], tool_confgs: [{ tool_alias: 'a', providers: ['first'] }] });
  expect((await list(misspelt)).stderr).toContain("Did you mean 'tool_configs'?");
  const broken = write('broken.json', toolsOnly({ tool_alias: 'a', providers: 'first' }));
  expect((await list(broken)).stderr).toContain('tool_configs[0].providers');
  const unknown = write('unknown.json', toolsOnly({ tool_alias: 'a', providers: ['frist'] }));
  const refused = await list(unknown);
  expect(refused.stderr).toBe(
    "Error [tool/unavailable]: The tool provider 'frist' cannot be used: it is not configured. Did you mean 'first'?\n",
  );
  expect(refused.code).toBe(1);
  expect(started()).toEqual([]);
});

test('chooses among the providers by name', { tags: 'long' }, async () => {
  declare(smallServer('first'), smallServer('second'), smallServer('third'));
  const chosen = await list('--json', '--provider', 'third', '--provider', 'first', '--provider', 'third');
  expect(Object.keys(namesIn(listsIn(chosen)))).toEqual(['third', 'first']);
  const config = write('config.json', toolsOnly({ tool_alias: 'a', providers: ['second'] }));
  const { stderr } = await list(config, '--provider', 'third');
  expect(stderr).toContain("'third' cannot be used: it is not configured. Use one of: second.");
  // A provider that comes with the program is listed where it is named.
  expect(namesIn(listsIn(await list('--json', '--provider', 'demo-tools')))).toEqual({
    'demo-tools': ['get_fact', 'add_numbers', 'list_topics'],
  });
});

test('a file of providers replaces those of the home folder', { tags: 'long' }, async () => {
  declare(smallServer('first'), { ...smallServer('second'), args: ['-e', 'process.exit(1)'] });
  const file = write('providers.json', { providers: [smallServer('second')] });
  const { code, stdout } = await list('--json', '--providers', file);
  expect(code).toBe(0);
  expect(Object.keys(namesIn(listsIn({ stdout })))).toEqual(['first', 'second']);
});

test(
  'names the servers that do not start, lists the others, and writes no file',
  { tags: 'long', timeout: 60_000 },
  async () => {
    const key = 'swordfish-4711-swordfish';
    const dies = `console.error(process.env.SERVICE_KEY); process.exit(3)`;
    declare(
      smallServer('first'),
      {
        name: 'dead',
        provider_type: 'stdio',
        command: process.execPath,
        args: ['-e', dies],
        env: { SERVICE_KEY: key },
      },
      {
        name: 'keyless',
        provider_type: 'streamable_http',
        endpoint: 'http://127.0.0.1:9/mcp',
        api_key: '${NO_SUCH_KEY}',
      },
      { ...smallServer('silent'), args: ['-e', 'setInterval(() => {}, 1000)'], start_timeout_sec: 0.5 },
      smallServer('last'),
    );
    write('tools.json', 'as it was');
    const asJson = await list('--json', '-o', 'tools.json');
    expect(asJson.code).toBe(1);
    const lists = listsIn(asJson);
    expect(namesIn(lists)).toEqual({ first: ['first'], last: ['last'] });
    expect(lists.failed?.map(({ provider, error }) => `${provider}: ${error.code}`)).toEqual([
      'dead: tool/unavailable',
      'keyless: secret/missing',
      'silent: tool/unavailable',
    ]);
    expect(readFileSync(join(folder, 'tools.json'), 'utf8')).toBe('"as it was"');
    expect(readdirSync(folder).toSorted()).toEqual(['home', 'servers.log', 'tools.json']);
    const { code, stdout, stderr } = await list('-o', 'tools.json');
    expect(code).toBe(1);
    expect(stdout).toBe('first: 1 tool\n  first\n\nlast: 1 tool\n  last\n');
    expect(stderr).toContain(
      "The tool provider 'dead' cannot be used: its process ended with code 3; stderr: [secret].",
    );
    expect(stderr).toContain("MCP provider 'keyless' (api_key) needs the environment variable NO_SUCH_KEY");
    expect(stderr).toContain("The tool provider 'silent' cannot be used:");
    expect(stderr).toContain('tools.json is not written, because 3 of 5 providers cannot be listed.');
    expect([asJson.stdout, asJson.stderr, stdout, stderr].join('')).not.toContain(key);
  },
);

test('leaves out the tools that no file can describe, and names them', async () => {
  let deep: object = { type: 'string' };
  for (let level = 0; level < 600; level++) deep = { type: 'array', items: deep };
  const parameters = { type: 'object', properties: { größe: { type: 'integer', maximum: 2 ** 53 } } };
  const tools = [
    { description: 'Has no name.' },
    { name: 'good', inputSchema: parameters },
    { name: 'text', inputSchema: 'text' },
    { name: 'deep', inputSchema: { type: 'object', properties: { deep } } },
    { name: 'bare' },
  ];
  const { command, args, env: variables } = stdioServer('raw', ['given', JSON.stringify(tools)]);
  declare({ name: 'odd', provider_type: 'stdio', command, args, env: variables });
  const { code, stdout, stderr } = await list('--json');
  expect(code).toBe(0);
  expect(listsIn({ stdout }).providers).toEqual([
    {
      provider: 'odd',
      tools: [
        { name: 'good', description: '', inputSchema: parameters },
        { name: 'bare', description: '', inputSchema: { type: 'object', properties: {} } },
      ],
    },
  ]);
  expect(stderr.trim().split('\n')).toEqual([
    "Warning: the list lacks the tool '(a tool without a name)' of 'odd': nobody can call it.",
    "Warning: the list lacks the tool 'text' of 'odd': its schema is no object.",
    expect.stringMatching(/the tool 'deep' of 'odd': its schema is nested in more than \d+ levels\.$/),
  ]);
});

test('says where there is nothing to list, and writes no empty file', async () => {
  declare();
  expect(await list()).toMatchObject({ code: 0, stdout: expect.stringContaining('there are no MCP providers') });
  expect(listsIn(await list('--json')).providers).toEqual([]);
  const config = write('config.json', { columns: [] });
  expect((await list(config)).stdout).toContain('config.json name no MCP provider.');
  const { code, stderr } = await list('-o', 'tools.json');
  expect({ code, isThere: existsSync(join(folder, 'tools.json')) }).toEqual({ code: 2, isThere: false });
  expect(stderr).toContain('error: there are no MCP providers');
});

test('refuses a file in a folder that is not there before a server starts', async () => {
  declare(smallServer('first'));
  const { code, stderr } = await list('-o', 'nowhere/tools.json');
  expect(code).toBe(1);
  expect(stderr).toContain('dataset/unwritable');
  expect(started()).toEqual([]);
});

test.each([
  ['--plugins', 'some'],
  ['--allow-private', ''],
])('%s without a config is a usage error', async (flag, value) => {
  const { code, stderr } = await list(flag, ...(value === '' ? [] : [value]));
  expect(code).toBe(2);
  expect(stderr).toContain(`${flag} has no effect without a config: leave it out.`);
});

test('on Ctrl-C it ends the servers and exits with code 130', { tags: 'long', timeout: 30_000 }, async () => {
  const log = join(folder, 'servers.log');
  const waits = `require('fs').appendFileSync(${JSON.stringify(log)}, 'start slow ' + process.pid + '\\n'); setInterval(() => {}, 1000)`;
  declare({ name: 'slow', provider_type: 'stdio', command: process.execPath, args: ['-e', waits] });
  const { child, finished } = startDataDesigner(['mcp', 'list-tools', '--json'], env());
  await until(() => started().length > 0);
  child.kill('SIGINT');
  const { code, stdout } = await finished;
  expect(code).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'run/aborted' } });
  const [slow] = events();
  for (let tries = 0; tries < 100 && isAlive(slow?.pid ?? 0); tries++) await sleep(50);
  expect(isAlive(slow?.pid ?? 0)).toBe(false);
});

/** The tools that a run recorded. */
function recorded(dataset: string): unknown {
  return (JSON.parse(readFileSync(join(folder, dataset, 'run.json'), 'utf8')) as { tools: unknown }).tools;
}

test(
  'a file that it writes is the tools_file of the providers, and the seed of rows',
  { tags: 'long', timeout: 60_000 },
  async () => {
    using model = await openAnsweringServer((body, response) =>
      reply(response, playAgent(JSON.parse(body) as ModelRequest)),
    );
    const models = { name: 'own', endpoint: model.origin, api_key: 'none', provider_type: 'openai' };
    write('home/model_providers.yaml', { providers: [models] });
    const providers = [
      { ...published('memory'), tool_prefix: 'graph_' },
      published('everything'),
      smallServer('small', { tool_prefix: 'own_' }),
    ];
    const config = write('config.json', {
      model_configs: [{ alias: 'm', model: 'x', provider: 'own', skip_health_check: true }],
      tool_configs: [{ tool_alias: 'all', providers: ['memory', 'everything', 'small'] }],
      columns: [
        {
          name: 'answer',
          column_type: 'llm-text',
          model_alias: 'm',
          tool_alias: 'all',
          prompt: JSON.stringify([
            [{ name: 'own_small', arguments: {} }],
            [{ name: 'echo', arguments: { message: 'Hi' } }],
          ]),
        },
      ],
    });
    const run = (...args: readonly string[]) => runCommand(args, { env: env(), cwd: folder });
    const create = (name: string) => run('create', config, '-n', '2', '-o', folder, '-d', name, '--show', '1');
    declare(...providers);
    expect(await create('listed')).toMatchObject({ code: 0, stdout: expect.stringContaining('Echo: Hi') });

    const lists = await list(config, '-o', 'home/tools.json', '--json');
    expect(lists.code).toBe(0);
    expect(readFileSync(join(folder, 'home', 'tools.json'), 'utf8')).toBe(lists.stdout);
    declare(...providers.map((one) => ({ ...one, tools_file: 'tools.json' })));
    rmSync(join(folder, 'servers.log'));
    expect((await run('validate', config)).code).toBe(0);
    const filed = await create('filed');
    expect(filed).toMatchObject({ code: 0, stdout: expect.stringContaining('Echo: Hi') });
    // A server that differs from its file would be named.
    expect(filed.stderr + filed.stdout).not.toContain('tools.json');
    expect(started()).toEqual(['small']);
    expect(recorded('filed')).toEqual(recorded('listed'));
    // What the file says does not count for a new list.
    writeFileSync(join(folder, 'home', 'tools.json'), 'no JSON');
    expect(listsIn(await list(config, '-o', 'home/tools.json', '--json')).providers).toEqual(listsIn(lists).providers);

    const rows = write('rows.json', {
      seed_config: { source: { seed_type: 'mcp-tools', path: 'home/tools.json' }, sampling_strategy: 'ordered' },
      columns: [{ name: 'line', column_type: 'expression', expr: '{{ provider }}/{{ name }}' }],
    });
    const lines = namesIn(listsIn(lists));
    const expected = Object.entries(lines).flatMap(([provider, names]) => names.map((name) => `${provider}/${name}`));
    const previewed = await run('preview', rows, '-n', String(expected.length), '--json', '--non-interactive');
    const { records } = JSON.parse(previewed.stdout) as { records: readonly { readonly line: string }[] };
    expect(records.map(({ line }) => line)).toEqual(expected);
  },
);
