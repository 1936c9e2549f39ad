import { expect, test } from 'vitest';
import { readForm } from '../read-form.ts';
import { modelConfig } from '../schemas/model-config.ts';
import { mcpProvider, modelProvider } from '../schemas/providers.ts';
import { toolConfig } from '../schemas/tool-config.ts';
import { homeFolder } from './home-folder.ts';
import { homeTables } from './home-tables.ts';

const model = (parameters: object) =>
  modelConfig.parse(readForm(modelConfig, { alias: 'a', model: 'm', provider: 'p', inference_parameters: parameters }));

const drawn = { distribution_type: 'uniform', params: { low: 0, high: 1 } };

const tables = homeTables({
  folder: homeFolder({}),
  missing: [],
  warnings: [],
  models: [
    model({ temperature: drawn, top_p: 0.5, max_tokens: 20, extra_body: { a: 1 } }),
    model({ generation_type: 'embedding', dimensions: 8 }),
  ],
  toolConfigs: [
    toolConfig.parse({ toolAlias: 't', providers: ['s', 'l'] }),
    toolConfig.parse({
      toolAlias: 'u',
      providers: ['s'],
      allowTools: ['x', 'y'],
      maxToolCallTurns: 2,
      timeoutSec: 1.5,
    }),
    toolConfig.parse({ toolAlias: 'v', providers: [], allowTools: [] }),
  ],
  providers: {
    models: [
      modelProvider.parse({ name: 'p', endpoint: 'https://h/v1?key=secret-word', apiKey: 'secret-word-abcd' }),
      modelProvider.parse({ name: 'q', endpoint: 'https://h/v1', apiKey: 'Q_KEY' }),
    ],
    tools: [
      mcpProvider.parse({ name: 's', providerType: 'sse', endpoint: 'https://h/sse' }),
      mcpProvider.parse({
        name: 'l',
        providerType: 'stdio',
        command: 'run',
        args: ['--token', 'secret-word'],
        env: { A: 'secret-word' },
      }),
      mcpProvider.parse({ name: 'n', providerType: 'stdio', command: 'run' }),
    ],
  },
});

test('the four tables show the declared entries without keys', () => {
  expect(tables.map(({ title, rows }) => [title, rows])).toEqual([
    [
      'Model Providers',
      [
        ['p', 'https://h/v1?key=***', 'openai', '***abcd'],
        ['q', 'https://h/v1', 'openai', 'Q_KEY'],
      ],
    ],
    [
      'Model Configurations',
      [
        ['a', 'm', 'p', 'max_parallel_requests=4, extra_body={"a":1}, temperature=dist, top_p=0.50, max_tokens=20'],
        ['a', 'm', 'p', 'embedding, max_parallel_requests=4, encoding_format=float, dimensions=8'],
      ],
    ],
    [
      'MCP Providers',
      [
        ['s', 'https://h/sse', 'sse', '(not set)'],
        ['l', 'run --token ***word', 'stdio', 'A=***word'],
        ['n', 'run', 'stdio', '(none)'],
      ],
    ],
    [
      'Tool Configurations',
      [
        ['t', 's, l', 'all', '5', '60 s'],
        ['u', 's', 'x, y', '2', '1.5 s'],
        ['v', '', 'none', '5', '60 s'],
      ],
    ],
  ]);
  expect(JSON.stringify(tables)).not.toContain('secret');
});

test('every row has a cell for every column', () => {
  for (const { columns, rows } of tables) for (const row of rows) expect(row).toHaveLength(columns.length);
});
