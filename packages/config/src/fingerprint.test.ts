import { expect, test } from 'vitest';
import { z } from 'zod';
import { field } from '@data-designer/core';
import { ColumnRegistry } from './column-registry.ts';
import { defineColumn, sourceColumnFields } from './define-column.ts';
import { cellIdentityOf, fingerprintOf, identityOf } from './fingerprint.ts';
import { parseDataset } from './parse-dataset.ts';

/** The sampler of the two published hashes, with the fields that they cover. */
const sampler = defineColumn({
  type: 'sampler',
  schema: z.strictObject({
    ...sourceColumnFields('sampler'),
    samplerType: z.literal('uuid'),
    params: z.strictObject({
      samplerType: z.literal('uuid').default('uuid'),
      prefix: z.string().nullable().default(null),
      shortForm: z.boolean().default(false),
      uppercase: z.boolean().default(false),
    }),
    conditionalParams: z.record(z.string(), z.unknown()).default({}),
    convertTo: z.string().nullable().default(null),
  }),
  writes: ({ name }) => [field(name, 'utf8')],
  fill: () => () => ({ written: [[]] }),
});

const registry = new ColumnRegistry([sampler]);
const columns = [{ name: 'u', column_type: 'sampler', sampler_type: 'uuid', params: {} }];
const hash = (document: object) => fingerprintOf(parseDataset(document, registry).config, registry);

const models = (parameters: object, more: object = {}) => [
  { provider: 'p', model: 'm', alias: 'a', inference_parameters: parameters, ...more },
  { alias: 'b', model: 'n', provider: 'p' },
];
const tools = (more: object) => [{ tool_alias: 't', providers: ['q'], ...more }];

test('the fingerprint equals the hash of NeMo Data Designer for the same config', () => {
  expect(hash({ columns })).toBe('sha256:e8d5993806fa652b42775c085d822bd827710ccbb43315c06da2e6fd5c639d1e');
  const model_configs = [
    { alias: 'b', model: 'x', provider: 'p' },
    { alias: 'a', model: 'é', provider: 'p', inference_parameters: { temperature: 1 } },
  ];
  expect(hash({ columns, model_configs })).toBe(
    'sha256:c65937f623f3b2b2259721a249ccb947691f2c98d8f9618b4a972de0a6813b5f',
  );
});

test('parallelism, timeouts, health checks and the order of models do not change the fingerprint', () => {
  const plain = hash({ columns, model_configs: models({}) });
  expect(hash({ columns, model_configs: models({ max_parallel_requests: 9, timeout: 5 }).toReversed() })).toBe(plain);
  expect(hash({ columns, model_configs: models({}, { skip_health_check: true }) })).toBe(plain);
  expect(hash({ columns, model_configs: models({ max_tokens: 5 }) })).not.toBe(plain);
  expect(hash({ columns, tool_configs: tools({ timeout_sec: 5, allow_tools: [], single_machine: true }) })).toBe(
    hash({ columns, tool_configs: tools({}) }),
  );
  expect(hash({ columns, tool_configs: tools({ allow_tools: ['x'] }) })).not.toBe(
    hash({ columns, tool_configs: tools({}) }),
  );
});

test('the identity of cells leaves out the processors that run on finished rows', () => {
  const custom = { processor_type: 'custom', name: 'own', process: () => [] };
  const processed = (...processors: readonly object[]) => parseDataset({ columns, processors }, registry).config;
  const cells = (...processors: readonly object[]) => cellIdentityOf(processed(...processors), registry);
  const plain = cells();
  expect(plain).toBe(identityOf(processed(), registry));
  const shapes = { processor_type: 'schema_transform', name: 'shape', template: { u: '{{ u }}' } };
  for (const after of [shapes, { ...custom, stage: 'post_batch' }, { ...custom, stage: 'after_generation' }]) {
    expect(cells(after)).toBe(plain);
    expect(identityOf(processed(after), registry)).not.toBe(plain);
  }
  const before = { ...custom, stage: 'pre_batch' };
  expect(cells(before)).toBe(identityOf(processed(before), registry));
  expect(cells(before, shapes)).toBe(cells(before));
  expect(cells(before)).not.toBe(plain);
});
