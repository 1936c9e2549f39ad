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

test('what is written is read back the same', () => {
  writeHome(folder, contents);
  const { models, toolConfigs, providers, missing } = readHome(folder);
  expect(providers).toEqual({ models: contents.modelProviders, tools: contents.mcpProviders });
  expect(models).toEqual(contents.modelConfigs);
  expect(toolConfigs).toEqual(contents.toolConfigs);
  expect(missing).toEqual([]);
});

test('keys are written in snake_case, names of the user as they are', () => {
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

test.skipIf(process.platform === 'win32')('folder and files are for the user alone', () => {
  writeHome(folder, contents);
  expect(rights(folder.path)).toBe(0o700);
  expect(Object.values(folder.files).map(rights)).toEqual([0o600, 0o600, 0o600, 0o600]);
});

test('the first files hold what is there without files; a second time nothing is written', () => {
  expect(initHome(folder).map(({ file, written }) => [file, written])).toEqual([
    ['modelProviders', true],
    ['modelConfigs', true],
    ['mcpProviders', true],
    ['toolConfigs', true],
  ]);
  expect(readHome(folder)).toMatchObject({ missing: [], providers: { models: stockModelProviders, tools: [] } });
  expect(initHome(folder).some(({ written }) => written)).toBe(false);
});

test('a file that is there stays as it is, even one that is broken, unless it may be replaced', () => {
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

test('nothing is left beside the files', () => {
  initHome(folder);
  initHome(folder);
  expect(readdirSync(folder.path).toSorted()).toEqual([
    'mcp_providers.yaml',
    'model_configs.yaml',
    'model_providers.yaml',
    'tool_configs.yaml',
  ]);
});

test('a home folder that is a file cannot be written', () => {
  writeFileSync(join(parent, 'deep'), 'x');
  expect(() => initHome(folder)).toThrow(/Cannot write to .*: a part of the path is a file, not a folder\./);
});

test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)('a home folder without rights is told', () => {
  initHome(folder);
  rmSync(folder.files.toolConfigs);
  chmodSync(folder.path, 0o500);
  expect(() => initHome(folder)).toThrow('permission is denied');
  chmodSync(folder.path, 0o700);
});
