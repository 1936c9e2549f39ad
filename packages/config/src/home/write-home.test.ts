import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mcpProvider, modelProvider } from '../schemas/providers.ts';
import { toolConfig } from '../schemas/tool-config.ts';
import { homeFolder, type HomeFolder } from './home-folder.ts';
import { readHome } from './read-home.ts';
import { stockModelConfigs, stockModelProviders } from './stock.ts';
import { initHome, writeHome } from './write-home.ts';

let parent: string;
let folder: HomeFolder;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'home-'));
  folder = homeFolder({ DATA_DESIGNER_HOME: join(parent, 'deep', 'home') });
});

afterEach(() => rmSync(parent, { recursive: true }));

const contents = {
  modelProviders: [
    modelProvider.parse({
      name: 'mine',
      endpoint: 'http://localhost/v1',
      apiKey: '1e3',
      extraBody: { topK: 3, keepCase: { innerKey: 1.5 } },
      extraHeaders: { xTitle: 'yes' },
    }),
  ],
  modelConfigs: stockModelConfigs(),
  mcpProviders: [
    mcpProvider.parse({ name: 'l', providerType: 'stdio', command: 'run', args: ['a, b', '--x'], env: { myVar: '1' } }),
    mcpProvider.parse({ name: 'r', providerType: 'streamable_http', endpoint: 'http://localhost/mcp', apiKey: 'K' }),
  ],
  toolConfigs: [toolConfig.parse({ toolAlias: 't', providers: ['l'], allowTools: ['x'], timeoutSec: 30 })],
};

test('readHome reads back the contents that writeHome writes', () => {
  writeHome(folder, contents);
  const { models, toolConfigs, providers, missing } = readHome(folder);
  expect(providers).toEqual({ models: contents.modelProviders, tools: contents.mcpProviders });
  expect(models).toEqual(contents.modelConfigs);
  expect(toolConfigs).toEqual(contents.toolConfigs);
  expect(missing).toEqual([]);
});

test('writeHome writes keys in snake_case and leaves names of the user unchanged', () => {
  writeHome(folder, contents);
  expect(readFileSync(folder.files.modelProviders, 'utf8')).toBe(`providers:
- api_key: 1e3
  endpoint: http://localhost/v1
  extra_body:
    keepCase:
      innerKey: 1.5
    topK: 3
  extra_headers:
    xTitle: 'yes'
  name: mine
  provider_type: openai
`);
  expect(readFileSync(folder.files.toolConfigs, 'utf8')).toBe(`tool_configs:
- allow_tools:
  - x
  max_tool_call_turns: 5
  providers:
  - l
  timeout_sec: 30.0
  tool_alias: t
`);
});

const rights = (path: string) => statSync(path).mode & 0o777;

test.skipIf(process.platform === 'win32')('only the user may access the folder and its files', () => {
  writeHome(folder, contents);
  expect(rights(folder.path)).toBe(0o700);
  expect(Object.values(folder.files).map(rights)).toEqual([0o600, 0o600, 0o600, 0o600]);
});

test('initHome writes the stock contents once and nothing the second time', () => {
  expect(initHome(folder).map(({ file, written }) => [file, written])).toEqual([
    ['modelProviders', true],
    ['modelConfigs', true],
    ['mcpProviders', true],
    ['toolConfigs', true],
  ]);
  expect(readHome(folder)).toMatchObject({ missing: [], providers: { models: stockModelProviders, tools: [] } });
  expect(initHome(folder).some(({ written }) => written)).toBe(false);
});

test('writeHome keeps an existing file, even a broken one, unless it may overwrite', () => {
  writeHome(folder, { toolConfigs: [] });
  writeFileSync(folder.files.modelProviders, 'mine: [');
  const told = writeHome(folder, contents);
  expect(told.map(({ written }) => written)).toEqual([false, true, true, false]);
  expect(told[0]?.path).toBe(folder.files.modelProviders);
  expect(readFileSync(folder.files.modelProviders, 'utf8')).toBe('mine: [');
  expect(writeHome(folder, { modelProviders: contents.modelProviders }, { overwrite: true })).toMatchObject([
    { written: true },
  ]);
  expect(readHome(folder).providers.models).toEqual(contents.modelProviders);
});

test('initHome leaves no other files behind', () => {
  initHome(folder);
  initHome(folder);
  expect(readdirSync(folder.path).toSorted()).toEqual([
    'mcp_providers.yaml',
    'model_configs.yaml',
    'model_providers.yaml',
    'tool_configs.yaml',
  ]);
});

test('initHome reports a file in the path of the home folder', () => {
  writeFileSync(join(parent, 'deep'), 'x');
  expect(() => initHome(folder)).toThrow(/Cannot write to .*: a part of the path is a file, not a folder\./);
});

test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  'initHome reports a home folder without write permission',
  () => {
    initHome(folder);
    rmSync(folder.files.toolConfigs);
    chmodSync(folder.path, 0o500);
    expect(() => initHome(folder)).toThrow('permission is denied');
    chmodSync(folder.path, 0o700);
  },
);
