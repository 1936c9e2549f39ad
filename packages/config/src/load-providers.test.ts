import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinProviders, loadProviders, requireNamedKeys } from './load-providers.ts';
import { mcpProvider, modelProvider, type Providers } from './schemas/providers.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'providers-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function load(text: string): Providers {
  const path = join(folder, 'providers.yaml');
  writeFileSync(path, text);
  return loadProviders(path);
}

test('one list may hold model and MCP providers, even with the same name', () => {
  const { models, tools } = load(`providers:
  - { name: a, endpoint: 'http://localhost:9000/v1', api_key: '\${MY_KEY}' }
  - { name: a, provider_type: stdio, command: npx, args: [server] }
  - { name: b, providerType: streamable_http, endpoint: 'http://localhost/mcp' }
  - { name: c, provider_type: anthropic, endpoint: 'https://host' }
`);
  expect(models.map(({ name, providerType }) => [name, providerType])).toEqual([
    ['a', 'openai'],
    ['c', 'anthropic'],
  ]);
  expect(tools.map(({ name, providerType }) => [name, providerType])).toEqual([
    ['a', 'stdio'],
    ['b', 'streamable_http'],
  ]);
});

test('a list may hold execution providers, and the earlier of two with one name wins', () => {
  const text = `providers:
  - { name: box, provider_type: execution, command: docker, args: [run, box], env: { PATH: '\${PATH}' } }
  - { name: m, endpoint: 'http://localhost:9000/v1' }
`;
  const providers = load(text);
  const box = {
    name: 'box',
    providerType: 'execution',
    command: 'docker',
    args: ['run', 'box'],
    env: { PATH: '${PATH}' },
  };
  expect(providers).toMatchObject({ models: [{ name: 'm' }], tools: [], programs: [box] });
  const other = load('providers: [{ name: box, provider_type: execution, command: other }]');
  expect(joinProviders(providers, other).programs).toEqual([box]);
  expect(() => load('providers: [{ name: box, provider_type: execution, comand: x }]')).toThrow(/comand/);
});

test.each(['excution', 'STDIO', 'stdo', 'streamable-http', 'Sse'])(
  'loadProviders reports the type %s as a typo, not as a model protocol',
  (type) => {
    expect(() => load(`providers: [{name: a, provider_type: ${type}}]`)).toThrow(
      /providers\[0\]\.provider_type: .* Did you mean/,
    );
  },
);

test('two model providers with the same name in a file are a mistake', () => {
  const text =
    'providers: [{name: a, endpoint: x}, {name: a, provider_type: sse, endpoint: x}, {name: a, endpoint: y}]';
  expect(() => load(text)).toThrow(/has 1 mistake:\n.*providers\[2\]\.name: two providers have the name 'a'\./);
});

test('a file without a list of providers is unreadable', () => {
  expect(() => load('tools: []')).toThrow("it has no list named 'providers'");
});

test('joinProviders keeps the earlier of two providers with the same name and turns key names into references', () => {
  const first = load(
    'providers: [{name: a, endpoint: http://x}, {name: t, provider_type: sse, endpoint: http://t, api_key: T_TOKEN}]',
  );
  const second = load('providers: [{name: a, endpoint: http://y}, {name: b, endpoint: http://z, api_key: B_KEY}]');
  const { models, tools } = joinProviders(first, second);
  const byName = new Map(models.map(({ name, ...rest }) => [name, rest]));
  expect([...byName.keys()].toSorted((one, other) => one.localeCompare(other))).toEqual(['a', 'b']);
  expect(byName.get('a')).toMatchObject({ endpoint: 'http://x', apiKey: null });
  expect(byName.get('b')).toMatchObject({ endpoint: 'http://z', apiKey: '${B_KEY}' });
  expect(tools).toMatchObject([{ name: 't', apiKey: '${T_TOKEN}' }]);
});

test.each([
  ['localhost:9000/v1', "Write 'http://localhost:9000/v1'."],
  ['127.0.0.1:9000/v1', "Write 'http://127.0.0.1:9000/v1'."],
  ['api.acme.test/v1', "Write 'https://api.acme.test/v1'."],
])('an address such as %s is a mistake of the file, with the whole address', (endpoint, remedy) => {
  expect(() => load(`providers: [{name: a, endpoint: '${endpoint}'}]`)).toThrow(remedy);
});

test('a provider with a command and no type is a mistake of its type', () => {
  expect(() => load('providers: [{name: a, command: x}]')).toThrow(/provider_type: this key is missing.* stdio/);
});

test('tool_prefix accepts only characters of tool names', () => {
  const provider = 'providers: [{name: a, provider_type: stdio, command: x, tool_prefix: PREFIX}]';
  expect(load(provider.replace('PREFIX', 'a_')).tools).toMatchObject([{ name: 'a', toolPrefix: 'a_' }]);
  expect(() => load(provider.replace('PREFIX', '"a."'))).toThrow(
    /tool_prefix: expected 1 to 32 letters, digits, _ or -/,
  );
});

test.each([
  ['OPENAI_API_KEY', '${OPENAI_API_KEY}'],
  ['HF_TOKEN', '${HF_TOKEN}'],
  ['${NAME}', '${NAME}'],
  ['EMPTY', 'EMPTY'],
  ['NOT_NEEDED', 'NOT_NEEDED'],
  ['sk-abc_KEY', 'sk-abc_KEY'],
  [null, null],
])('requireNamedKeys turns the key %j into %j', (apiKey, asked) => {
  const model = modelProvider.parse({ name: 'm', endpoint: 'https://host/v1', apiKey });
  const tools = mcpProvider.parse({ name: 's', providerType: 'sse', endpoint: 'https://host/sse', apiKey });
  const local = mcpProvider.parse({ name: 'l', providerType: 'stdio', command: 'run' });
  expect(requireNamedKeys({ models: [model], tools: [tools, local] })).toEqual({
    models: [{ ...model, apiKey: asked }],
    tools: [{ ...tools, apiKey: asked }, local],
  });
});

test('an endpoint without http:// is refused, of models and of tools', () => {
  const text = `providers:
  - { name: a, endpoint: 'localhost:9000/v1' }
  - { name: b, provider_type: streamable_http, endpoint: 'host/mcp' }
  - { name: c, endpoint: '\${MY_ENDPOINT}' }
`;
  expect(() => load(text)).toThrow(/has 2 mistakes[^]*'http:\/\/localhost:9000\/v1'[^]*'https:\/\/host\/mcp'/);
});

const ending =
  (endpoint: string, type = 'openai') =>
  () =>
    load(`providers: [{ name: a, provider_type: ${type}, endpoint: '${endpoint}' }]`);

test('an address of requests is refused with the endpoint that it belongs to', () => {
  expect(ending('http://h:1/v1/chat/completions')).toThrow("Write 'http://h:1/v1'.");
  expect(ending('http://h:1/v1/responses/', 'openai-responses')).toThrow("Write 'http://h:1/v1'.");
  expect(ending('https://h/v1/messages', 'anthropic')).toThrow("Write 'https://h'.");
  expect(ending('https://h/v1')).not.toThrow();
  expect(ending('https://h/v1/messages', 'sse')).not.toThrow();
});
