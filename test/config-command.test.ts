import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataDesigner, type Finished, runCommand } from './command-line.ts';

const KEY = 'sk-canary-77aa';
let folder: string;
let home: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'));
  home = join(folder, 'home');
});

afterEach(() => rmSync(folder, { recursive: true }));

const NO_KEYS = ['OPENAI_API_KEY', 'NVIDIA_API_KEY', 'MINE_KEY', 'MINE_PHRASE'];

/** Runs the command line in a folder of its own, with a home folder of its own. */
function run(...args: string[]): Promise<Finished> {
  const env = { ...Object.fromEntries(NO_KEYS.map((name) => [name, undefined])), DATA_DESIGNER_HOME: home };
  return runCommand(args, { env, cwd: folder });
}

function put(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

const ASKING = `model_configs: [{alias: writer, model: m, provider: mine}]
columns:
- {name: topic, column_type: sampler, sampler_type: category, params: {values: [moon, salt]}}
- {name: text, column_type: llm-text, model_alias: writer, prompt: 'About {{ topic }}.'}
`;

test('config alone prints its help, a command that is not there is a usage error', async () => {
  const { code, stdout } = await run('config');
  expect(code).toBe(0);
  expect(stdout).toContain('init');
  expect(stdout).toContain('list');
  const unknown = await run('config', 'lst');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain("unknown command 'lst'");
  expect((await run('config', 'list', '--no-such-flag')).code).toBe(2);
});

test('config init writes what is missing, says so, and leaves what is there', async () => {
  const first = await run('config', 'init');
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout.match(/^written: /gm)).toHaveLength(4);
  rmSync(join(home, 'tool_configs.yaml'));
  writeFileSync(join(home, 'mcp_providers.yaml'), 'mine');
  const second = await run('config', 'init', '--json');
  expect(second.code).toBe(0);
  expect(JSON.parse(second.stdout)).toEqual({
    home,
    files: [
      { file: 'modelProviders', path: join(home, 'model_providers.yaml'), written: false },
      { file: 'modelConfigs', path: join(home, 'model_configs.yaml'), written: false },
      { file: 'mcpProviders', path: join(home, 'mcp_providers.yaml'), written: false },
      { file: 'toolConfigs', path: join(home, 'tool_configs.yaml'), written: true },
    ],
  });
  expect(readFileSync(join(home, 'mcp_providers.yaml'), 'utf8')).toBe('mine');
});

test('config list shows the defaults if there is no file, and writes nothing', async () => {
  const { code, stdout } = await run('config', 'list');
  expect(code).toBe(0);
  expect(stdout).toContain('Model Providers (no model_providers.yaml; showing the defaults');
  expect(stdout).toMatch(/nvidia-text +nvidia\/nemotron-3\.5-lightning-30b-a3b +nvidia +max_parallel_requests=4/);
  expect(stdout).toContain(
    'MCP Providers (no mcp_providers.yaml; create it with: data-designer config init)\n  (none)',
  );
  expect(readdirSync(folder)).toEqual([]);
});

test('config list shows the files with masked keys, as text and as JSON', async () => {
  await run('config', 'init');
  put(
    'home/model_providers.yaml',
    `providers: [{name: mine, endpoint: 'http://h/v1', api_key: ${KEY}}, {name: own, endpoint: x, api_key: OWN_KEY}]`,
  );
  put(
    'home/mcp_providers.yaml',
    `providers: [{name: srv, provider_type: stdio, command: run, env: {A_TOKEN: ${KEY}}}]`,
  );
  put('home/tool_configs.yaml', 'tool_configs: [{tool_alias: t, providers: [srv], allow_tools: [x]}]');
  const text = await run('config', 'list');
  expect(text.code).toBe(0);
  expect(text.stdout).toMatch(/^ {2}Name {2}Endpoint {5}Type {4}API Key$/m);
  expect(text.stdout).toMatch(/^ {2}mine {2}http:\/\/h\/v1 {2}openai {2}\*\*\*77aa$/m);
  expect(text.stdout).toMatch(/^ {2}own .* OWN_KEY$/m);
  const { code, stdout } = await run('config', 'list', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    home,
    missing: [],
    warnings: [],
    modelProviders: [{ name: 'mine', endpoint: 'http://h/v1', type: 'openai', apiKey: '***77aa' }, { name: 'own' }],
    mcpProviders: [{ name: 'srv', endpointCommand: 'run', type: 'stdio', apiKeyEnv: 'A_TOKEN=***77aa' }],
    toolConfigs: [{ alias: 't', providers: 'srv', allowedTools: 'x', maxTurns: '5', timeout: '60 s' }],
  });
  expect(text.stdout + text.stderr + stdout).not.toContain('canary');
});

test('a home file with a mistake fails by name, without its key', { tags: 'long' }, async () => {
  await run('config', 'init');
  put('home/model_providers.yaml', `providers: [{name: mine, endpint: x, api_key: ${KEY}}]`);
  const { code, stdout, stderr } = await dataDesigner(['config', 'list'], { DATA_DESIGNER_HOME: home });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(`Error [config/invalid]: ${join(home, 'model_providers.yaml')} has 1 mistake`);
  expect(stderr).toContain('providers[0].endpint');
  expect(stderr).not.toContain('canary');
});

test(
  'a run knows the providers of the home folder, and a file of --providers wins over it',
  { tags: 'long' },
  async () => {
    await run('config', 'init');
    const config = put('config.yaml', ASKING);
    put(
      'home/model_providers.yaml',
      "providers: [{name: mine, endpoint: 'http://127.0.0.1:9/v1', api_key: '${NO_SUCH_KEY_HERE}'}]",
    );
    const fromHome = await run('preview', config, '-n', '1');
    expect(fromHome.code).toBe(1);
    expect(fromHome.stderr).toContain('[secret/missing]');
    expect(fromHome.stderr).toContain('NO_SUCH_KEY_HERE');
    const file = put(
      'providers.yaml',
      "providers: [{name: mine, endpoint: 'http://127.0.0.1:9/v1', api_key: '${OTHER_KEY_HERE}'}]",
    );
    expect((await run('preview', config, '-n', '1', '--providers', file)).stderr).toContain('OTHER_KEY_HERE');
  },
);

test('a stock provider without its key asks for it by name', async () => {
  const config = put('config.yaml', ASKING.replace('provider: mine', 'provider: nvidia'));
  const { code, stderr } = await run('preview', config, '-n', '1');
  expect(code).toBe(1);
  expect(stderr).toContain('needs the environment variable NVIDIA_API_KEY, which is not set');
});

test('keys come from .env, but not the home folder, and not what is no key', { tags: 'long' }, async () => {
  await run('config', 'init');
  const config = put('config.yaml', ASKING);
  put(
    'home/model_providers.yaml',
    "providers: [{name: mine, endpoint: 'http://127.0.0.1:9/v1', api_key: '${MINE_PHRASE}'}]",
  );
  put(
    '.env',
    `MINE_KEY=${KEY}\nMINE_PHRASE=${KEY}\nDATA_DESIGNER_HOME=/nowhere\nDATA_DESIGNER_MANAGED_ASSETS_PATH=/nowhere\n`,
  );
  const left = await run('preview', config, '-n', '1');
  expect(left.code).toBe(1);
  expect(left.stderr).toContain('needs the environment variable MINE_PHRASE');
  expect(left.stderr).toContain(
    'It is set in .env, but only names with KEY, TOKEN or the like as a word of its own, as in MY_KEY, are read from there. Rename it.',
  );
  expect(left.stderr).toContain('Warning: DATA_DESIGNER_MANAGED_ASSETS_PATH is not read from .env');
  put(
    'home/model_providers.yaml',
    "providers: [{name: mine, endpoint: 'http://127.0.0.1:9/v1', api_key: '${MINE_KEY}'}]",
  );
  const quick = ASKING.replace('provider: mine', 'provider: mine, inference_parameters: {timeout: 1}');
  const taken = await run('preview', put('config.yaml', quick), '-n', '1');
  expect(taken.code).toBe(1);
  expect(taken.stderr).toContain('has never responded');
  expect(left.stderr + taken.stderr + taken.stdout).not.toContain('canary');
});

test('an .env that is no text stops a command, not the help', async () => {
  writeFileSync(join(folder, '.env'), Buffer.from([0xff, 0xfe]));
  const { code, stderr } = await run('config', 'list');
  expect(code).toBe(1);
  expect(stderr).toBe(
    'Error [config/unreadable]: Cannot read .env: it is not UTF-8 text. Correct the file, or its path.\n',
  );
  expect((await run('--help')).code).toBe(0);
});
