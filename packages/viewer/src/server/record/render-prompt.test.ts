import { expect, test } from 'vitest';
import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry, parseDataset, parseRunConfig } from '@data-designer/config';
import type { PlannedColumn, Row } from '@data-designer/core';
import { compile } from '@data-designer/engine';
import { renderPrompt } from './render-prompt.ts';

const registry = new ColumnRegistry(columnTypes);
const { config } = parseDataset(
  {
    model_configs: [
      { alias: 'writer', model: 'w', provider: 'local' },
      { alias: 'vectors', model: 'v', provider: 'local', inference_parameters: { generation_type: 'embedding' } },
    ],
    columns: [
      { name: 'size', column_type: 'sampler', sampler_type: 'uniform', params: { low: 0, high: 9 } },
      { name: 'hidden', column_type: 'sampler', sampler_type: 'uuid', params: {}, drop: true },
      {
        name: 'text',
        column_type: 'llm-text',
        model_alias: 'writer',
        prompt: 'Size {{ size }}.',
        system_prompt: 'Be brief.',
      },
      { name: 'secret', column_type: 'llm-text', model_alias: 'writer', prompt: 'About {{ hidden }}.' },
      { name: 'vector', column_type: 'embedding', model_alias: 'vectors', target_column: 'text' },
    ],
  },
  registry,
);
const plan = compile(config, {
  registry,
  numRecords: 1,
  runConfig: parseRunConfig({ seed: 1 }, 'The test'),
  modelProviders: [
    {
      name: 'local',
      endpoint: 'http://127.0.0.1:1',
      providerType: 'openai',
      apiKey: null,
      extraBody: null,
      extraHeaders: null,
    },
  ],
  knownTools: [],
});
const rendered = (name: string, row: Row) =>
  renderPrompt(plan.columns.find((column) => column.name === name) as PlannedColumn, {
    plan,
    registry,
    row,
    rowIndex: 0,
  });

test('a prompt is rendered as the run rendered it: floats with their point, the system prompt apart', async () => {
  expect(await rendered('text', { size: 3 })).toEqual({ prompt: 'Size 3.0.', system: 'Be brief.' });
  expect(await rendered('vector', { text: 'What is embedded.' })).toEqual({
    prompt: 'What is embedded.',
    system: null,
  });
});

test('a prompt that cannot be rendered has a reason', async () => {
  expect(await rendered('secret', {})).toBe('The prompt reads hidden, which the dataset does not store.');
  expect(await rendered('size', {})).toBe('The column asks its model from a function.');
});
