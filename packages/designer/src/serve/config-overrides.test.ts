import { expect, test } from 'vitest';
import { z } from 'zod';
import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry, parseDataset, writeDataset } from '@data-designer/config';
import { Float } from '@data-designer/core';
import { overrideParameters, withOverrides } from './config-overrides.ts';

const registry = new ColumnRegistry(columnTypes);
const written = (document: object) => writeDataset(parseDataset(document, registry).config, registry);

const dataset = written({
  model_configs: [{ alias: 'writer', model: 'm', provider: 'p' }],
  columns: [
    {
      name: 'kind',
      column_type: 'sampler',
      sampler_type: 'category',
      params: { values: ['a', 1, new Float(2)], weights: [1, 1, 2] },
    },
    { name: 'size', column_type: 'sampler', sampler_type: 'uniform', params: { low: 0, high: 1 } },
    { name: 'text', column_type: 'llm-text', model_alias: 'writer', prompt: 'Of {{ kind }}.' },
  ],
});

test('the parameters list the models and values that a call may change', () => {
  const schema = z.toJSONSchema(z.object(overrideParameters(dataset)));
  expect(schema.properties).toMatchObject({
    models: { properties: { writer: { type: 'string', description: 'A model of the provider p; default: m.' } } },
    values: { properties: { kind: { items: { enum: ['a', '1', '2.0'] } } }, additionalProperties: false },
  });
  const plain = written({ columns: [{ name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} }] });
  expect(overrideParameters(plain)).toEqual({});
});

test('replaced values keep their weights and types, and models their settings', () => {
  const changed = withOverrides(dataset, { models: { writer: 'other' }, values: { kind: ['a', '2.0'] } });
  expect(changed.model_configs[0]).toEqual({ ...dataset.model_configs[0], model: 'other' });
  expect(changed.columns[0]?.params).toMatchObject({ values: ['a', new Float(2)], weights: [0.25, 0.5] });
  expect(changed.columns.slice(1)).toEqual(dataset.columns.slice(1));
  expect(parseDataset({ data_designer: changed }, registry).violations).toEqual([]);
  expect(withOverrides(dataset, {})).toEqual(dataset);
});

test('a value that the column does not have is refused', () => {
  expect(() => withOverrides(dataset, { values: { kind: ['b'] } })).toThrow("The column 'kind' has no value 'b'.");
});
