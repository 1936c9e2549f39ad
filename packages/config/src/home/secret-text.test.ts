import { expect, test } from 'vitest';
import { mcpProvider, modelProvider } from '../schemas/providers.ts';
import { holdsKey, showCommand, showData, showEndpoint, showKey, showVariables } from './secret-text.ts';

test.each([
  [null, '(not set)'],
  ['', '(not set)'],
  ['NVIDIA_API_KEY', 'NVIDIA_API_KEY'],
  ['_KEY2', '_KEY2'],
  ['AKIAIOSFODNN7EXAMPLE', '***MPLE'],
  ['SK_LIVE_4F9A8B7C6D5E4F3A', '***4F3A'],
  ['SK_QWERTYUIOPASDFGHJKLZXCVB', '***XCVB'],
  ['GPT4_KEY_2024', 'GPT4_KEY_2024'],
  ['${my_key}', '${my_key}'],
  ['sk-abcdefgh1234', '***1234'],
  ['12345678', '***5678'],
  ['sk-1234', '***'],
  ['prefix-${NAME}', '***AME}'],
])('the key %j is shown as %s', (key, shown) => {
  expect(showKey(key)).toBe(shown);
});

test.each([
  ['https://host/v1', 'https://host/v1'],
  ['https://host/mcp/?apiKey=tvly-abc&page=2', 'https://host/mcp/?apiKey=***&page=***'],
  ['https://me:p@ss@host/v1', 'https://***@host/v1'],
  ['no address', 'no address'],
])('the endpoint %s is shown as %s', (endpoint, shown) => {
  expect(showEndpoint(endpoint)).toBe(shown);
});

test('showCommand hides the value of an option for a key', () => {
  const args = [
    '-y',
    '@scope/server',
    '--api-key',
    'sk-abcdefgh1234',
    '--token=abc',
    '--key',
    '${NAME}',
    '--verbose',
    'x',
  ];
  expect(showCommand('npx', args)).toBe('npx -y @scope/server --api-key ***1234 --token=*** --key ${NAME} --verbose x');
});

test('showVariables shows only the names and the ends of values', () => {
  expect(showVariables({ A_TOKEN: 'abcdefgh1234', LEVEL: 'debug' })).toBe('A_TOKEN=***1234, LEVEL=***');
});

const model = (more: object) => modelProvider.parse({ name: 'm', endpoint: 'https://host/v1', ...more });
const server = (more: object) => mcpProvider.parse({ name: 's', providerType: 'stdio', command: 'run', ...more });

test.each([
  ['a literal key', model({ apiKey: 'sk-abcdefgh1234' }), true],
  ['the name of a variable', model({ apiKey: 'MY_KEY' }), false],
  ['a reference', model({ apiKey: '${MY_KEY}' }), false],
  ['no key', model({}), false],
  ['a header with a key', model({ extraHeaders: { 'X-Api-Key': 'abc' } }), true],
  ['a header without a key', model({ extraHeaders: { 'X-Title': 'abc' } }), false],
  ['an address with a query', model({ endpoint: 'https://host/?k=1' }), true],
  ['a variable with a key', server({ env: { MY_TOKEN: 'abc' } }), true],
  ['a variable without a key', server({ env: { LEVEL: 'debug' } }), false],
  ['an argument with a key', server({ args: ['--token', 'abc'] }), true],
  ['arguments without a key', server({ args: ['--port', '1'] }), false],
])('holdsKey checks a provider with %s', (_, provider, holds) => {
  expect(holdsKey(provider)).toBe(holds);
});

test('a header in arguments shows only its name and counts as a key', () => {
  const args = [
    'mcp-remote',
    'https://host/mcp',
    '--header',
    'Authorization: Bearer sk-secret',
    '-H',
    'X-Api-Key: abc',
  ];
  expect(showCommand('npx', args)).toBe(
    'npx mcp-remote https://host/mcp --header Authorization: *** -H X-Api-Key: ***',
  );
  expect(holdsKey(mcpProvider.parse({ name: 'a', providerType: 'stdio', command: 'npx', args }))).toBe(true);
});

test('showData hides values under the names of secrets', () => {
  expect(showData({ api_key: 'sk-abcdefgh1234', nested: [{ token: 'abc' }], top_k: 5 })).toBe(
    '{"api_key":"***1234","nested":[{"token":"***"}],"top_k":5}',
  );
});
