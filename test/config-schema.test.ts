import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { columnTypes } from '@data-designer/columns';
import { configJsonSchema, loadDocument } from '@data-designer/config';
import { Float } from '@data-designer/core';
import { flowSchema } from '../packages/workflow/src/flow-schema.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const schema = configJsonSchema(columnTypes, { flow: flowSchema });
const accepts = new Ajv2020({ strict: false, code: { optimize: false } }).compile(schema);

const files = ['configs', 'test/worked-examples'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => join(folder, file)),
);

test('configs/schema.json equals the output of npm run schema', async () => {
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot('../configs/schema.json');
});

test.each(files)('the JSON Schema accepts %s', (file) => {
  accepts(unboxed(loadDocument(join(root, file))));
  expect(accepts.errors ?? []).toEqual([]);
});

test('the JSON Schema accepts a workflow', () => {
  const stages = [
    { name: 'a', config: { columns: [{ name: 'x', column_type: 'expression', expr: '1' }] }, rows: 3 },
    { name: 'b', from: ['a'], select: { where: 'x == 1' } },
    { name: 'c', from: ['a', 'b'], join: { by: 'x' }, group: { by: 'x', collect: [] } },
  ];
  accepts({ name: 'flow', stages });
  expect(accepts.errors ?? []).toEqual([]);
});

test.each([
  [{ columns: [{ name: 'a', column_type: 'sampler', sampler_type: 'uniform', params: { low: 1 } }] }, "'high'"],
  [{ columns: [{ name: 'a', column_type: 'expression', expr: 'x', dtyp: 'int' }] }, 'additional properties'],
  [{ data_designer: { columns: [{ name: 'a', column_type: 'llm_text' }] } }, 'allowed values'],
  [{ columns: [], colums: [] }, 'additional properties'],
  [{ stages: [{ name: 'a', config: 'a.yaml', row: 3 }] }, 'additional properties'],
  [{ stages: [{ name: 'a', config: { columns: [], colums: [] } }] }, 'additional properties'],
  [{ stages: [{ config: 'a.yaml' }] }, "'name'"],
])('the JSON Schema reports the mistake in %j', (document, words) => {
  expect(accepts(document)).toBe(false);
  expect(accepts.errors?.map(({ message }) => message).join('\n')).toContain(words);
});

/** What a JSON Schema validator knows of numbers. */
function unboxed(value: unknown): unknown {
  if (value instanceof Float) return value.value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(unboxed);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, unboxed(part)]));
}
