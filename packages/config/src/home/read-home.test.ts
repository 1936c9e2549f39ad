import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isFailure, type Violation } from '@data-designer/core';
import { type HomeFile, homeFolder, type HomeFolder } from './home-folder.ts';
import { readHome } from './read-home.ts';
import { stockModelConfigs, stockModelProviders } from './stock.ts';

const KEY = 'sk-canary-77aa';
let folder: HomeFolder;

beforeEach(() => {
  folder = homeFolder({ DATA_DESIGNER_HOME: mkdtempSync(join(tmpdir(), 'home-')) });
});

afterEach(() => rmSync(folder.path, { recursive: true }));

function put(file: HomeFile, text: string, mode = 0o600): void {
  writeFileSync(folder.files[file], text);
  chmodSync(folder.files[file], mode);
}

function violations(): readonly Violation[] {
  try {
    readHome(folder);
  } catch (thrown) {
    if (isFailure(thrown, 'config/invalid')) return thrown.data.violations;
    throw thrown;
  }
  return [];
}

test('an empty home folder has the stock model providers and models, and no tools', () => {
  expect(readHome(folder)).toEqual({
    folder,
    models: stockModelConfigs(),
    toolConfigs: [],
    providers: { models: stockModelProviders, tools: [] },
    missing: ['modelProviders', 'modelConfigs', 'mcpProviders', 'toolConfigs'],
    warnings: [],
  });
});

test('readHome reads the four files as the Python tool writes them and fills in defaults', () => {
  put(
    'modelProviders',
    'default: mine\nproviders:\n- {name: mine, endpoint: "http://localhost/v1", provider_type: OpenAI}\n',
  );
  put(
    'modelConfigs',
    'model_configs:\n- {alias: a, model: m, provider: mine, inference_parameters: {temperature: 1}}\n',
  );
  put(
    'mcpProviders',
    'providers:\n- {name: s, provider_type: sse, endpoint: "http://localhost/sse"}\n- {name: l, provider_type: stdio, command: run}\n',
  );
  put('toolConfigs', 'tool_configs:\n- {tool_alias: t, providers: [s, l], max_tool_call_turns: "3"}\n');
  const { models, toolConfigs, providers, missing, warnings } = readHome(folder);
  expect(models).toMatchObject([{ alias: 'a', inferenceParameters: { temperature: 1, maxParallelRequests: 4 } }]);
  expect(toolConfigs).toEqual([
    { toolAlias: 't', providers: ['s', 'l'], allowTools: null, maxToolCallTurns: 3, timeoutSec: null },
  ]);
  expect(providers.models).toEqual([
    {
      name: 'mine',
      endpoint: 'http://localhost/v1',
      providerType: 'openai',
      apiKey: null,
      extraBody: null,
      extraHeaders: null,
    },
  ]);
  expect(providers.tools).toEqual([
    { name: 's', providerType: 'sse', endpoint: 'http://localhost/sse', apiKey: null },
    { name: 'l', providerType: 'stdio', command: 'run', args: [], env: {} },
  ]);
  expect({ missing, warnings }).toEqual({ missing: [], warnings: [] });
});

test('a model provider loads even if its endpoint is not an address', () => {
  put(
    'modelProviders',
    'providers:\n- {name: claude, endpoint: anything, provider_type: Anthropic, api_key: ANTHROPIC_API_KEY}\n',
  );
  expect(readHome(folder).providers.models).toMatchObject([{ providerType: 'anthropic', apiKey: 'ANTHROPIC_API_KEY' }]);
});

test('empty lists of models, MCP providers and tool configs stay empty', () => {
  put('modelConfigs', 'model_configs: []\n');
  put('mcpProviders', 'providers: []\n');
  put('toolConfigs', 'tool_configs: []\n');
  expect(readHome(folder)).toMatchObject({ models: [], toolConfigs: [], providers: { tools: [] } });
});

test('readHome reports every model without a provider', () => {
  put(
    'modelConfigs',
    'model_configs:\n- {alias: a, model: m}\n- {alias: b, model: m, provider: p}\n- {alias: c, model: m, provider: null}\n',
  );
  expect(violations()).toMatchObject([
    { path: 'model_configs[0].provider', type: 'missing_provider', message: "the model 'a' has no provider." },
    { path: 'model_configs[2].provider', message: "the model 'c' has no provider." },
  ]);
});

test.each<[string, HomeFile, string, string, string]>([
  [
    'an MCP provider without a type',
    'mcpProviders',
    'providers: [{name: s, endpoint: x}]',
    'providers[0].provider_type',
    'this key is missing.',
  ],
  [
    'an MCP provider of an unknown type',
    'mcpProviders',
    'providers: [{name: s, provider_type: ssh}]',
    'providers[0].provider_type',
    "there is no provider type 'ssh'.",
  ],
  [
    'two model providers with the same name',
    'modelProviders',
    'providers: [{name: a, endpoint: x}, {name: a, endpoint: y}]',
    'providers[1].name',
    "two model providers have the name 'a'.",
  ],
  [
    'two MCP providers with the same name',
    'mcpProviders',
    'providers: [{name: a, provider_type: stdio, command: x}, {name: a, provider_type: stdio, command: y}]',
    'providers[1].name',
    "two MCP providers have the name 'a'.",
  ],
  [
    'two tool configs with the same alias',
    'toolConfigs',
    'tool_configs: [{tool_alias: a, providers: []}, {tool_alias: a, providers: []}]',
    'tool_configs[1].tool_alias',
    "two tool configs have the name 'a'.",
  ],
  ['an empty list of model providers', 'modelProviders', 'providers: []', 'providers', 'the list is empty.'],
  [
    'an unknown key',
    'modelProviders',
    'providers: [{name: a, endpont: x}]',
    'providers[0].endpont',
    "unknown key 'endpont'.",
  ],
  [
    'a key that holds a secret',
    'modelProviders',
    `providers: [{name: a, endpoint: x, api_key:${KEY}}]`,
    'api_key',
    "unknown key 'api_key…'.",
  ],
  [
    'a key that is a list',
    'modelProviders',
    `providers: [{name: a, endpoint: x, api_key: [${KEY}]}]`,
    'providers[0].api_key',
    'expected text, found a list',
  ],
  [
    'a type that is a secret',
    'mcpProviders',
    `providers: [{name: a, provider_type: ${KEY}}]`,
    'providers[0].provider_type',
    "'sk…'",
  ],
  ['an entry that is not a mapping', 'modelProviders', `providers: [${KEY}]`, 'providers[0]', 'expected a mapping'],
  [
    'tools named twice',
    'toolConfigs',
    'tool_configs: [{tool_alias: a, providers: [], allow_tools: [x, x]}]',
    'tool_configs[0].allow_tools',
    "the tool 'x' is listed twice",
  ],
])('readHome reports %s at its path without showing a key', (_, ...[file, text, path, message]) => {
  put(file, text);
  const found = violations();
  expect(found.some((one) => one.path.includes(path) && one.message.includes(message))).toBe(true);
  expect(found.every(({ stage, level }) => stage === 'load' && level === 'ERROR')).toBe(true);
  expect(JSON.stringify(found)).not.toContain('canary');
});

test('readHome reports all mistakes of a file at once, under its path', () => {
  put(
    'toolConfigs',
    'tool_configs:\n- {tool_alias: 1, providers: x}\n- {tool_alias: b, providers: [], max_tool_call_turns: 0}\n',
  );
  expect(() => readHome(folder)).toThrow(`${folder.files.toolConfigs} has 3 mistakes:`);
});

test('a typo in environment variables shows no key', () => {
  put('mcpProviders', 'providers:\n- {name: a, provider_type: stdio, command: x, env: {API_KEY=sk-canary-1}}\n');
  expect(() => readHome(folder)).toThrow(/env\["API_KEY…"\]/);
  expect(() => readHome(folder)).not.toThrow(/canary/);
});

test('a file that lacks its list or is not YAML is unreadable', () => {
  put('toolConfigs', 'providers: []\n');
  expect(() => readHome(folder)).toThrow("tool_configs.yaml: it has no list named 'tool_configs'");
  put('toolConfigs', 'tool_configs: [\n');
  expect(() => readHome(folder)).toThrow(/tool_configs\.yaml:\d+:\d+: it is not valid YAML/);
});

test('of several models with the same alias the last one counts, with a warning', () => {
  put(
    'modelConfigs',
    'model_configs:\n- {alias: a, model: m1, provider: p}\n- {alias: b, model: m, provider: p}\n- {alias: a, model: m2, provider: p}\n',
  );
  const { models, warnings } = readHome(folder);
  expect(models.map(({ alias, model }) => [alias, model])).toEqual([
    ['a', 'm2'],
    ['b', 'm'],
  ]);
  expect(warnings).toEqual([
    `${folder.files.modelConfigs} declares the model 'a' more than once; the last one is used.`,
  ]);
});

test.skipIf(process.platform === 'win32')('readHome warns about a file with a key that other users may read', () => {
  const text = `providers:\n- {name: a, endpoint: "http://h/v1", api_key: ${KEY}}\n`;
  put('modelProviders', text, 0o644);
  const { warnings } = readHome(folder);
  expect(warnings).toEqual([
    `${folder.files.modelProviders} contains a key, and other users can read it. Run: chmod 600 '${folder.files.modelProviders}'`,
  ]);
  put('modelProviders', text, 0o600);
  expect(readHome(folder).warnings).toEqual([]);
  put('modelProviders', text.replace(KEY, 'A_KEY'), 0o644);
  expect(readHome(folder).warnings).toEqual([]);
});

test('a broken symbolic link is an unreadable file, not a missing one', () => {
  symlinkSync(join(folder.path, 'gone.yaml'), folder.files.modelConfigs);
  expect(() => readHome(folder)).toThrow('model_configs.yaml: there is no such file');
});
