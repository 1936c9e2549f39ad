import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { expect, test } from 'vitest';
import { parseDocument } from '@data-designer/config';

/** A dataset of one good column, and what a stranger adds to it. */
const GOOD = { name: 'a', column_type: 'sampler', sampler_type: 'category', params: { values: ['x'] } };

async function check(text: string) {
  const document = parseDocument(text, { path: 'hostile.yaml', json: false });
  return new DataDesigner().check({ document, source: 'hostile.yaml' });
}

const withPart = (part: object) => check(JSON.stringify({ columns: [GOOD], ...part }));
const withColumn = (column: object) => check(JSON.stringify({ columns: [GOOD, column] }));

test.each([
  ['a command to start', { mcp_providers: [{ name: 'x', provider_type: 'stdio', command: 'sh', args: ['-c', 'id'] }] }],
  ['an endpoint that would get a key', { model_providers: [{ name: 'openai', endpoint: 'https://evil.example' }] }],
  ['run settings', { run_config: { jinja_rendering_engine: 'native' } }],
  ['a key of its own', { model_configs: [{ alias: 'w', model: 'm', provider: 'openai', api_key: 'OPENAI_API_KEY' }] }],
  [
    'an endpoint of its own',
    { model_configs: [{ alias: 'w', model: 'm', provider: 'openai', endpoint: 'https://e.example' }] },
  ],
])('a dataset config cannot bring %s', async (_, part) => {
  const { valid, violations } = await withPart(part);
  expect(valid).toBe(false);
  expect(violations.map(({ stage, type }) => `${stage} ${type}`)).toContain('load unknown_key');
});

test.each([
  ['a generator', { name: 'b', column_type: 'custom', generator_function: 'os.system' }],
  [
    'a validator',
    {
      name: 'b',
      column_type: 'validation',
      target_columns: ['a'],
      validator_type: 'local_callable',
      validator_params: { validation_function: 'process.exit' },
    },
  ],
])('a dataset config cannot name %s as code', async (_, column) => {
  const { valid, violations } = await withColumn(column);
  expect(valid).toBe(false);
  expect(violations.some(({ stage }) => stage === 'load')).toBe(true);
});

test('a key named __proto__ or constructor stays data, and changes nothing else', async () => {
  const text = `
columns:
  - name: a
    column_type: llm-structured
    model_alias: w
    prompt: Say something.
    output_format: { type: object, properties: { __proto__: { type: string }, constructor: { type: string } } }
    __proto__: { drop: true }
model_configs: [{ alias: w, model: m, provider: simulator, __proto__: { provider: openai } }]
`;
  const { violations } = await check(text);
  expect(violations.filter(({ type }) => type === 'unknown_key').map(({ path }) => path)).toEqual([
    'model_configs[0].__proto__',
    'columns[0].__proto__',
  ]);
  expect(({} as { drop?: unknown }).drop).toBeUndefined();
});

test('an alias bomb, nesting without end and an alias to itself are refused at once', () => {
  const bomb = ['a0: &a0 [x, x]', ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`)];
  for (const text of [bomb.join('\n'), '['.repeat(100_000), `${'{a: '.repeat(5000)}1`, 'a: &a [*a]']) {
    expect(() => parseDocument(text, { path: 'hostile.yaml', json: false })).toThrow(/hostile\.yaml: /);
  }
});

test('a config that comes from an address does not make the builder look at files, until the program says so', async () => {
  const seed = { source: { seed_type: 'local', path: 'test/worked-examples/tickets.cvs' } };
  const server = createServer((_, response) => response.end(JSON.stringify({ columns: [GOOD], seed_config: seed })));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/config.json`;
    const builder = await DataDesignerConfigBuilder.fromConfig(address, { allowPrivate: true });
    expect(() => builder.build()).not.toThrow();
    const report = (permissions: object) => new DataDesigner({ permissions }).check(builder);
    const types = async (permissions: object) => (await report(permissions)).violations.map(({ type }) => type);
    expect(await types({})).toContain('local_file_refused');
    expect(await types({})).not.toContain('seed_format_unknown');
    expect(await types({ localFiles: true })).not.toContain('local_file_refused');
    builder.withSeedDataset({ seedType: 'local', path: 'test/worked-examples/tickets.csv' });
    expect(await types({})).not.toContain('local_file_refused');
  } finally {
    server.close();
  }
});
