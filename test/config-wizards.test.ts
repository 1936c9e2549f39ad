import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../packages/mcp/test/providers.ts';
import { startSimulator } from '../packages/simulator/src/start-simulator.ts';
import { dataDesigner, type Finished, runCommand } from './command-line.ts';
import { DOWN, ENTER, hasTerminals, Terminal } from './terminal.ts';

const KEY = 'sk-canary-77aa';
const demoTools = fileURLToPath(new URL('../packages/data-designer/dist/demo-tools.js', import.meta.url));
const DEMO = ['--command', process.execPath, '--arg', '--no-warnings', '--arg', demoTools];
let folder: string;
let home: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wizards-'));
  home = join(folder, 'home');
});

afterEach(() => rmSync(folder, { recursive: true }));

function config(...args: string[]): Promise<Finished> {
  return runCommand(['config', ...args], { env: { DATA_DESIGNER_HOME: home } });
}

const read = (file: string): string => readFileSync(join(home, file), 'utf8');

test('config mcp add connects to a provider and lists its tools before it saves it', { tags: 'long' }, async () => {
  const added = await config(
    'mcp',
    'add',
    '--name',
    'mine',
    '--type',
    'stdio',
    ...DEMO,
    '--env',
    'A_KEY=a,b=c',
    '--json',
  );
  expect(added).toMatchObject({ code: 0, stderr: '' });
  const file = join(home, 'mcp_providers.yaml');
  expect(JSON.parse(added.stdout)).toEqual({
    file,
    change: 'added',
    names: ['mine'],
    tools: ['get_fact', 'add_numbers', 'list_topics'],
    stillNamedBy: [],
  });
  expect(read('mcp_providers.yaml')).toContain('  env:\n    A_KEY: a,b=c\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const again = await config('mcp', 'add', '--name', 'mine', '--type', 'stdio', ...DEMO);
  expect(again.code).toBe(1);
  expect(again.stderr).toContain("the MCP provider 'mine' already exists");
});

test('an invalid address is not saved, not even with --no-connect', async () => {
  const flags = ['mcp', 'add', '--name', 'odd', '--type', 'sse', '--endpoint', 'notaurl', '--no-connect'];
  const refused = await config(...flags);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("'notaurl' is invalid. It must start with http:// or https://.");
  expect(existsSync(home)).toBe(false);
});

test('an unreachable provider is saved only with --no-connect', async () => {
  const flags = [
    'mcp',
    'add',
    '--name',
    'gone',
    '--type',
    'sse',
    '--endpoint',
    'http://127.0.0.1:9/sse',
    '--api-key',
    KEY,
  ];
  const refused = await config(...flags);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("[tool/unavailable]: The tool provider 'gone' cannot be used");
  expect(existsSync(home)).toBe(false);
  const saved = await config(...flags, '--header', 'x-team=blue', '--no-connect');
  expect(saved).toMatchObject({ code: 0 });
  expect(read('mcp_providers.yaml')).toContain(`api_key: ${KEY}\n`);
  const listed = await config('list');
  const updated = await config(
    'mcp',
    'update',
    'gone',
    '--endpoint',
    'http://127.0.0.1:8/sse',
    '--clear',
    'api-key',
    '--no-connect',
  );
  expect(updated).toMatchObject({ code: 0 });
  expect(read('mcp_providers.yaml')).not.toContain(KEY);
  expect(read('mcp_providers.yaml')).toContain('endpoint: http://127.0.0.1:8/sse');
  for (const { stdout, stderr } of [refused, saved, listed, updated]) expect(stdout + stderr).not.toContain('canary');
});

test('tool configs are checked against the tools of their providers', { tags: 'long' }, async () => {
  const flags = ['tools', 'add', '--alias', 'facts', '--provider', 'demo-tools', '--allow', 'get_fact'];
  const added = await config(...flags, '--max-turns', '3', '--timeout', '2.5', '--json');
  expect(added).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(added.stdout)).toMatchObject({ change: 'added', names: ['facts'], tools: ['get_fact'] });
  expect(read('tool_configs.yaml')).toBe(
    'tool_configs:\n- tool_alias: facts\n  providers:\n  - demo-tools\n  allow_tools:\n  - get_fact\n  max_tool_call_turns: 3\n  timeout_sec: 2.5\n',
  );
  const wrong = await config('tools', 'update', 'facts', '--allow', 'get_facts');
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toContain("get_facts (did you mean 'get_fact'?)");
  const unknown = await config('tools', 'update', 'facts', '--provider', 'demo-tool');
  expect(unknown.stderr).toContain("it is not configured. Did you mean 'demo-tools'?");
  const all = await config('tools', 'update', 'facts', '--clear', 'allow', '--clear', 'timeout');
  expect(all.stdout).toContain('3 tools: get_fact, add_numbers, list_topics\n');
  expect(read('tool_configs.yaml')).not.toContain('allow_tools');
  expect((await config('tools', 'delete', 'facts')).stdout).toContain('deleted: facts');
  expect(read('tool_configs.yaml')).toBe('tool_configs: []\n');
});

test('delete removes an entry, keeps the comments of others, and warns of tool configs that name it', async () => {
  mkdirSync(home);
  const servers =
    '# mine\nproviders:\n- {name: a, provider_type: sse, endpoint: x}\n# the other\n- {name: b, provider_type: sse, endpoint: y}\n';
  writeFileSync(join(home, 'mcp_providers.yaml'), servers);
  writeFileSync(join(home, 'tool_configs.yaml'), 'tool_configs: [{tool_alias: t, providers: [a, b]}]\n');
  const deleted = await config('mcp', 'delete', 'a');
  expect(deleted).toMatchObject({ code: 0, stderr: "Warning: the tool config 't' still uses it.\n" });
  expect(read('mcp_providers.yaml')).toBe(
    '# mine\nproviders:\n# the other\n- {name: b, provider_type: sse, endpoint: y}\n',
  );
  const missing = await config('mcp', 'delete', 'c');
  expect(missing.code).toBe(1);
  expect(missing.stderr).toContain("there is no MCP provider named 'c'");
});

test(
  'model providers and models are tested, saved beside the stock ones, changed and deleted',
  { tags: 'long' },
  async () => {
    await using simulator = await startSimulator('--port', '0', '--api-key', KEY);
    const provider = ['providers', 'add', '--name', 'mine', '--endpoint', simulator.url];
    const refused = await config(...provider, '--api-key', 'wrong');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(
      "Cannot list the models of provider 'mine': it responded to /v1/models with status 401",
    );
    expect(existsSync(home)).toBe(false);
    const added = await config(...provider, '--api-key', KEY, '--json');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(added.stdout)).toMatchObject({ change: 'added', models: expect.arrayContaining(['sim-small']) });
    expect(read('model_providers.yaml').match(/name: /g)).toHaveLength(4);
    expect(statSync(join(home, 'model_providers.yaml')).mode & 0o777).toBe(0o600);

    const model = ['models', 'add', '--alias', 'w', '--model', 'sim-small', '--provider', 'mine'];
    const body = ['--temperature', '0.5', '--extra-body', '{"top_k": 20}'];
    expect(await config(...model, ...body)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The model answered\.\nadded: w /),
    });
    const lost = await config('models', 'add', '--alias', 'x', '--model', 'm', '--provider', 'min');
    expect(lost.stderr).toContain("Its provider 'min' is not configured. Did you mean 'mine'?");
    const changes = ['--max-tokens', '9', '--clear', 'temperature', '--no-connect'];
    expect(await config('models', 'update', 'w', ...changes)).toMatchObject({ code: 0 });
    expect(read('model_configs.yaml')).toContain(
      '- alias: w\n  model: sim-small\n  provider: mine\n  inference_parameters:\n    extra_body:\n      top_k: 20\n    max_tokens: 9\n',
    );
    const deleted = await config('providers', 'delete', 'mine');
    expect(deleted).toMatchObject({ code: 0, stderr: "Warning: the model config 'w' still uses it.\n" });
    const reset = await config('reset', 'providers', 'mcp', '--yes', '--json');
    expect(JSON.parse(reset.stdout)).toEqual({ home, deleted: [join(home, 'model_providers.yaml')] });
    expect(readdirSync(home)).toEqual(['model_configs.yaml']);
    for (const { stdout, stderr } of [refused, added, lost, deleted]) expect(stdout + stderr).not.toContain('canary');
  },
);

test('a wizard without a terminal names the flags to use, and wrong flags are usage errors', async () => {
  const process = (...args: string[]) => dataDesigner(['config', ...args], { DATA_DESIGNER_HOME: home });
  for (const [name, start] of [
    ['providers', process],
    ['models', config],
    ['mcp', config],
    ['tools', config],
  ] as const) {
    const { code, stderr } = await start(name);
    expect(code).toBe(2);
    expect(stderr).toContain(`'config ${name}' is interactive and needs a terminal`);
  }
  for (const args of [
    ['providers', 'add', '--name', 'x'],
    ['providers', 'add', '--name', 'x', '--endpoint', 'http://h', '--extra-body', '[]'],
    ['models', 'add', '--alias', 'x', '--model', 'y'],
    ['models', 'update', 'x', '--temperature', '3'],
    ['reset'],
    ['reset', 'none', '--yes'],
    ['mcp', 'add', '--name', 'x'],
    ['mcp', 'add', '--name', 'x', '--type', 'ftp'],
    ['mcp', 'add', '--name', 'x', '--type', 'stdio'],
    ['mcp', 'add', '--name', 'x', '--type', 'stdio', '--command', 'y', '--env', 'z'],
    ['mcp', 'update', 'x', '--clear', 'name'],
    ['tools', 'add', '--alias', 'x'],
    ['tools', 'add', '--alias', 'x', '--provider', 'y', '--timeout', '0'],
  ]) {
    expect((await config(...args)).code).toBe(2);
  }
  expect(existsSync(home)).toBe(false);
});

const ESCAPE = '\u001b';
/** Empties the line. */
const CLEAR = '\u0015';

/** A command in a pseudo-terminal with the home folder and keys of this test. */
function terminal(...args: string[]): Terminal {
  return new Terminal(args, { DATA_DESIGNER_HOME: home, MINE_KEY: KEY, WRONG_KEY: 'nope' });
}

test.runIf(hasTerminals)(
  'in a terminal the wizards ask, connect, offer the tools and save',
  { tags: 'long' },
  async () => {
    const servers = terminal('config', 'mcp');
    await servers.answer(/No MCP providers yet\. What would you like to do\?/, ENTER);
    await servers.answer(/How do you connect to it\?/, ENTER);
    await servers.answer(/Provider name/, `mine${ENTER}`);
    await servers.answer(/Program to start/, `${process.execPath}${ENTER}`);
    await servers.answer(/Argument 1/, `--no-warnings${ENTER}`);
    await servers.answer(/Argument 2/, `${demoTools}${ENTER}`);
    await servers.answer(/Argument 3/, ENTER);
    await servers.answer(/Environment variable \(KEY=VALUE\) 1/, `MYK${ENTER}`);
    await servers.answer(/'MYK' has no value\. Write it as MYK=VALUE\./, `=\${MYK}${ENTER}`);
    await servers.answer(/MYK is not set, neither in the environment nor in \.env/, `${CLEAR}${ENTER}`);
    await until(() => servers.shown.includes('added: mine'));
    expect(servers.shown).toContain('3 tools: get_fact, add_numbers, list_topics');
    await servers.answer(/1 MCP provider\. What would you like to do\?/, `${DOWN.repeat(4)}${ENTER}`);
    expect(await servers.ended).toBe(0);

    const tools = terminal('config', 'tools');
    await tools.answer(/No tool configs yet\. What would you like to do\?/, ENTER);
    await tools.answer(/Tool alias/, `facts${ENTER}`);
    await tools.answer(/Tool providers/, ` ${ENTER}`);
    await tools.answer(/Allow all tools/, `n${ENTER}`);
    await tools.answer(/Allowed tools/, `${DOWN} ${ENTER}`);
    await tools.answer(/Maximum turns with tool calls/, `${CLEAR}7${ENTER}`);
    await tools.answer(/Time limit per call/, ENTER);
    await until(() => tools.shown.includes('added: facts'));
    await tools.answer(/What would you like to do\?/, '\u0003');
    expect(await tools.ended).toBe(130);
    expect(read('tool_configs.yaml')).toBe(
      'tool_configs:\n- tool_alias: facts\n  providers:\n  - mine\n  allow_tools:\n  - add_numbers\n  max_tool_call_turns: 7\n  timeout_sec: 60\n',
    );
  },
);

test.runIf(hasTerminals)(
  'a wizard refuses a wrong answer at once and keeps the others after a failed test',
  { tags: 'long' },
  async () => {
    await using simulator = await startSimulator('--port', '0', '--api-key', KEY);
    const providers = terminal('config', 'providers');
    await providers.answer(/3 model providers\. What would you like to do\?/, ENTER);
    await providers.answer(/Provider name/, `openai${ENTER}`);
    await providers.answer(/'openai' exists already/, `${CLEAR}mine${ENTER}`);
    await providers.answer(/Which protocol/, ENTER);
    await providers.answer(/Base address/, `localhost${ENTER}`);
    await providers.answer(/must start with http/, `${CLEAR}${simulator.url}${ENTER}`);
    await providers.answer(/Where is its API key\?/, ENTER);
    await providers.answer(/Name of the environment variable/, `MYK${ENTER}`);
    await providers.answer(/MYK is not set, neither in the environment nor in \.env/, `${CLEAR}WRONG${ESCAPE}`);
    await providers.answer(/Where is its API key\?/, ENTER);
    await providers.answer(/Name of the environment variable WRONG/, `_KEY${ENTER}`);
    await providers.answer(/Connecting to mine[^]*status 401[^]*Your answers are kept/, ENTER);
    await providers.answer(/Which answer\?[^]*WRONG_KEY/, `${DOWN.repeat(4)}${ENTER}`);
    await providers.answer(/Name of the environment variable WRONG_KEY/, `${CLEAR}MINE_KEY${ENTER}`);
    await providers.answer(/7 models: sim-429[^]*added: mine[^]*4 model providers/, ENTER);
    await providers.answer(/Provider name/, `left${ENTER}`);
    await providers.answer(/Which protocol/, ESCAPE);
    await providers.answer(/Provider name \(used in model configs\) left/, ESCAPE);
    await providers.answer(/4 model providers/, ENTER);
    await providers.answer(/Provider name \(used in model configs\) left/, '\u0003');
    expect(await providers.ended).toBe(130);
    expect(read('model_providers.yaml')).toContain(
      `- name: mine\n  endpoint: ${simulator.url}\n  provider_type: openai\n  api_key: MINE_KEY\n`,
    );

    const models = terminal('config', 'models');
    await models.answer(/12 model configs\. What would you like to do\?/, ENTER);
    await models.answer(/Alias/, `writer${ENTER}`);
    await models.answer(/Provider/, ENTER);
    await models.answer(/type to search 7 models/, `hang${ENTER}`);
    await models.answer(/What does it make\?/, ENTER);
    await models.answer(/Set parameters/, ENTER);
    await models.answer(/Connecting to writer/, '\u0003');
    await models.answer(/Interrupted\.[^]*Your answers are kept/, ENTER);
    await models.answer(/Which answer\?/, `${DOWN.repeat(2)}${ENTER}`);
    await models.answer(/type to search 7 models/, `large${ENTER}`);
    await models.answer(/The model answered\.[^]*added: writer[^]*13 model configs/, ESCAPE);
    expect(await models.ended).toBe(0);
    expect(read('model_configs.yaml')).toContain('- alias: writer\n  model: sim-large\n  provider: mine\n');

    const reset = terminal('config', 'reset', 'models', 'tools');
    await reset.answer(/Delete .*model_configs\.yaml\?/, `y${ENTER}`);
    expect(await reset.ended).toBe(0);
    expect(readdirSync(home)).toEqual(['model_providers.yaml']);
  },
);

test.runIf(hasTerminals)('Ctrl-C during a prompt changes no file', async () => {
  const { code } = await config('mcp', 'add', '--name', 'a', '--type', 'stdio', '--command', 'x', '--no-connect');
  expect(code).toBe(0);
  const before = read('mcp_providers.yaml');
  const servers = terminal('config', 'mcp');
  await servers.answer(/What would you like to do\?/, `${DOWN}${ENTER}`);
  await servers.answer(/Which MCP provider\?/, ENTER);
  await servers.answer(/Program to start/, 'y\u0003');
  expect(await servers.ended).toBe(130);
  expect(servers.shown).toContain('No further changes were saved.');
  expect(read('mcp_providers.yaml')).toBe(before);
  expect(readdirSync(home)).toEqual(['mcp_providers.yaml']);
});
