import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { editHome } from './edit-home.ts';
import { homeFolder, type HomeFolder } from './home-folder.ts';
import { readHome } from './read-home.ts';
import { resetHome } from './write-home.ts';

const KEY = 'sk-canary-77aa';
let parent: string;
let folder: HomeFolder;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'edit-'));
  folder = homeFolder({ DATA_DESIGNER_HOME: join(parent, 'home') });
});

afterEach(() => rmSync(parent, { recursive: true }));

const SERVERS = `# My servers.
providers:
  # Kept at work.
  - name: search   # the good one
    provider_type: streamable_http
    endpoint: "https://h/mcp" # not the old one
    api_key: ${KEY}
    headers: {x-team: "blue"}

  - name: files
    provider_type: stdio
    command: npx
    args: ['a, b', 'yes', "1:30"]
    env:
  - {name: last, provider_type: sse, endpoint: https://h/sse}
other: {of: somebody, else: [1, 2]} # stays
`;

function put(text: string): string {
  const path = folder.files.mcpProviders;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

test('add appends an entry and keeps the rest of the file as written', () => {
  const path = put(SERVERS.replace('    env:\n', ''));
  const fields = {
    name: 'new',
    providerType: 'stdio',
    command: 'node',
    args: ['a, b', 'on', '1e3'],
    env: { MY_VAR: '7' },
  };
  editHome(folder, 'mcpProviders', { kind: 'add', fields }).save();
  expect(readFileSync(path, 'utf8')).toBe(
    SERVERS.replace('    env:\n', '')
      .replace('   # the', ' # the')
      .replace(
        'other:',
        `  - name: new
    provider_type: stdio
    command: node
    args:
      - a, b
      - 'on'
      - 1e3
    env:
      MY_VAR: '7'
other:`,
      ),
  );
  expect(readHome(folder).providers.tools.at(-1)).toEqual(fields);
});

test('update changes, adds and removes fields of an entry and keeps its comments', () => {
  const path = put(SERVERS.replace('    env:\n', ''));
  const change = { endpoint: 'https://new/mcp', maxSessions: 2, apiKey: undefined };
  editHome(folder, 'mcpProviders', { kind: 'update', name: 'search', fields: change }).save();
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(
    '    endpoint: https://new/mcp # not the old one\n    headers: {x-team: "blue"}\n    max_sessions: 2\n',
  );
  expect(text).toContain('# the good one');
  expect(text).not.toContain(KEY);
  expect(readHome(folder).providers.tools[0]).toMatchObject({
    endpoint: 'https://new/mcp',
    maxSessions: 2,
    apiKey: null,
  });
});

test('delete removes entries down to an empty list and suggests a name for an unknown entry', () => {
  const path = put(SERVERS.replace('    env:\n', ''));
  expect(() => editHome(folder, 'mcpProviders', { kind: 'delete', names: ['serch'] })).toThrow(
    /there is no MCP provider named 'serch'\. Did you mean 'search'\?/,
  );
  editHome(folder, 'mcpProviders', { kind: 'delete', names: ['files', 'last'] }).save();
  expect(readHome(folder).providers.tools.map(({ name }) => name)).toEqual(['search']);
  editHome(folder, 'mcpProviders', { kind: 'delete', names: ['search'] }).save();
  expect(readHome(folder).providers.tools).toEqual([]);
  expect(readFileSync(path, 'utf8')).toContain('other: {of: somebody, else: [1, 2]} # stays');
});

test('an edit leaves an empty value as written', () => {
  put(
    'providers:\n- name: a\n  provider_type: sse\n  endpoint: x\n  api_key:\n- name: b\n  provider_type: sse\n  endpoint: y\n',
  );
  editHome(folder, 'mcpProviders', { kind: 'delete', names: ['b'] }).save();
  expect(readFileSync(folder.files.mcpProviders, 'utf8')).toBe(
    'providers:\n- name: a\n  provider_type: sse\n  endpoint: x\n  api_key:\n',
  );
});

test('save creates a missing file and restricts it to the user', () => {
  const fields = { toolAlias: 'facts', providers: ['search'], allowTools: ['look_up'], timeoutSec: 30 };
  const edit = editHome(folder, 'toolConfigs', { kind: 'add', fields });
  expect(edit.entries).toMatchObject([{ ...fields, maxToolCallTurns: 5 }]);
  expect(lstatSync(folder.path, { throwIfNoEntry: false })).toBeUndefined();
  edit.save();
  expect(readFileSync(edit.path, 'utf8')).toBe(
    'tool_configs:\n- tool_alias: facts\n  providers:\n  - search\n  allow_tools:\n  - look_up\n  timeout_sec: 30\n',
  );
  expect(statSync(edit.path).mode & 0o777).toBe(0o600);
  chmodSync(edit.path, 0o644);
  editHome(folder, 'toolConfigs', { kind: 'update', name: 'facts', fields: { maxToolCallTurns: 2 } }).save();
  expect(statSync(edit.path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder.path)).toEqual(['tool_configs.yaml']);
});

test('the first change of model providers and models keeps the stock entries', () => {
  const provider = { name: 'mine', endpoint: 'http://h/v1' };
  editHome(folder, 'modelProviders', { kind: 'add', fields: provider }).save();
  const model = { alias: 'writer', model: 'm', provider: 'mine', inferenceParameters: { maxTokens: 5 } };
  const { inferenceParameters: _, ...plain } = model;
  const fields = { ...plain, 'inferenceParameters.maxTokens': 5, 'inferenceParameters.topP': undefined };
  editHome(folder, 'modelConfigs', { kind: 'add', fields }).save();
  expect(readFileSync(folder.files.modelConfigs, 'utf8')).toContain('  inference_parameters:\n    max_tokens: 5\n');
  const { providers, models } = readHome(folder);
  expect(providers.models.map(({ name }) => name)).toEqual(['nvidia', 'openai', 'openrouter', 'mine']);
  expect(models).toHaveLength(13);
  expect(models.at(-1)).toMatchObject(model);
  expect(resetHome(folder, ['modelConfigs', 'toolConfigs'])).toEqual([folder.files.modelConfigs]);
  expect(readHome(folder).models).toHaveLength(12);
});

test('update changes a parameter of a model and keeps the others', () => {
  mkdirSync(folder.path);
  const first =
    '- {alias: a, model: m, provider: p, inference_parameters: {extra_body: {x: 1}, temperature: 1}} # good';
  writeFileSync(folder.files.modelConfigs, `model_configs:\n${first}\n- {alias: b, model: m, provider: p}\n`);
  const changes = { 'inferenceParameters.temperature': undefined, 'inferenceParameters.maxTokens': 7 };
  editHome(folder, 'modelConfigs', { kind: 'update', name: 'a', fields: changes }).save();
  editHome(folder, 'modelConfigs', { kind: 'update', name: 'b', fields: changes }).save();
  expect(readFileSync(folder.files.modelConfigs, 'utf8')).toBe(`model_configs:
- {alias: a, model: m, provider: p, inference_parameters: {extra_body: {x: 1}, max_tokens: 7}} # good
- {alias: b, model: m, provider: p, inference_parameters: {max_tokens: 7}}
`);
});

test('of several models with one alias, update changes the one that counts and delete removes all', () => {
  mkdirSync(folder.path);
  writeFileSync(
    folder.files.modelConfigs,
    'model_configs:\n- {alias: a, model: m, provider: p}\n- {alias: a, model: n, provider: p}\n',
  );
  editHome(folder, 'modelConfigs', { kind: 'update', name: 'a', fields: { model: 'o' } }).save();
  expect(readHome(folder).models).toMatchObject([{ alias: 'a', model: 'o' }]);
  editHome(folder, 'modelConfigs', { kind: 'delete', names: ['a'] }).save();
  expect(readHome(folder).models).toEqual([]);
});

test('save writes through a symbolic link and keeps the link', () => {
  const real = join(parent, 'dotfile.yaml');
  writeFileSync(real, 'tool_configs: []\n');
  mkdirSync(folder.path);
  symlinkSync(real, folder.files.toolConfigs);
  editHome(folder, 'toolConfigs', { kind: 'add', fields: { toolAlias: 'a', providers: ['p'] } }).save();
  expect(lstatSync(folder.files.toolConfigs).isSymbolicLink()).toBe(true);
  expect(readFileSync(real, 'utf8')).toContain('tool_alias: a');
});

test.each([
  ['an existing entry', 'files', {}, /the MCP provider 'files' already exists/],
  ['an unknown field', 'x', { comand: KEY }, /comand/],
  ['an unknown type', 'x', { providerType: 'ftp' }, /there is no provider type 'ftp'/],
])('editHome refuses %s without showing a key and writes nothing', (...[, name, more, reason]) => {
  const path = put(SERVERS.replace('    env:\n', ''));
  const fields = { name, providerType: 'stdio', command: 'x', ...more };
  let failure: unknown;
  try {
    editHome(folder, 'mcpProviders', { kind: 'add', fields }).save();
  } catch (thrown) {
    failure = thrown;
  }
  expect(String(failure)).toMatch(reason);
  expect(inspect(failure, { depth: 10 }).replace(/\n\s+at .*/g, '')).not.toContain('canary');
  expect(readFileSync(path, 'utf8')).toBe(SERVERS.replace('    env:\n', ''));
});

test('editHome refuses a file that has a mistake, lacks its list or uses aliases', () => {
  const fields = { name: 'x', providerType: 'stdio', command: 'x' };
  put(SERVERS);
  expect(() => editHome(folder, 'mcpProviders', { kind: 'add', fields })).toThrow(/providers\[1\]\.env/);
  put('providers: 7\n');
  expect(() => editHome(folder, 'mcpProviders', { kind: 'add', fields })).toThrow(/no list named 'providers'/);
  put('one: &a {name: a, provider_type: sse, endpoint: x}\nproviders: [*a]\n');
  expect(() => editHome(folder, 'mcpProviders', { kind: 'add', fields })).toThrow(/edit the file instead/);
});
