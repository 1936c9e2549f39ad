import { expect, test } from 'vitest';
import { z } from 'zod';
import { field } from '@data-designer/core';
import { ColumnRegistry } from './column-registry.ts';
import { defineColumn, sourceColumnFields } from './define-column.ts';
import { parseDataset } from './parse-dataset.ts';
import { exactNumbers } from './schemas/exact-value.ts';

const listed = defineColumn({
  type: 'listed',
  schema: z.strictObject({
    ...sourceColumnFields('listed'),
    firstValues: z.array(z.union([z.string(), ...exactNumbers])),
    isSorted: z.boolean().default(false),
  }),
  writes: ({ name }) => [field(name, 'utf8')],
  fill: () => () => ({ written: [[]] }),
});
const speaker = z.strictObject({ said: z.string().optional() });
const talk = defineColumn({
  type: 'talk',
  schema: z.strictObject({ ...sourceColumnFields('talk'), user: speaker, assistant: speaker }),
  writes: ({ name }) => [field(name, 'utf8')],
  fill: () => () => ({ written: [[]] }),
});
const registry = new ColumnRegistry([listed, talk]);

const told = (document: object) =>
  parseDataset(document, registry).violations.map(
    ({ level, column, path, message, remedy }) => `${level} ${column ?? ''} ${path}: ${message} ${remedy}`,
  );

test('a boolean that is read as a number is warned of, in columns and beside them', () => {
  const columns = [{ name: 'a', column_type: 'listed', first_values: [2, true, 'x', false], is_sorted: true }];
  const model_configs = [{ alias: 'm', model: 'm', provider: 'p', inference_parameters: { temperature: true } }];
  expect(told({ columns, model_configs })).toEqual([
    'WARNING  model_configs[0].inference_parameters.temperature: the boolean true is read as the number 1. Write 1 if you mean it.',
    "WARNING a columns[0].first_values[1]: the boolean true is read as the number 1. Write 1, or 'true' in quotes for the text.",
    "WARNING a columns[0].first_values[3]: the boolean false is read as the number 0. Write 0, or 'false' in quotes for the text.",
  ]);
});

test('a key that two parts may have is moved to the one that lacks it', () => {
  const column = { name: 'chat', column_type: 'talk', user: { said: 'a' }, assistant: {}, said: 'b' };
  expect(told({ columns: [column] })).toEqual([
    "ERROR chat columns[0].said: unknown key 'said'. Move it below 'assistant'.",
  ]);
});

test('a misspelt type is told together with the other mistakes of its column', () => {
  expect(told({ columns: [{ name: 'a', column_type: 'lisd', first_value: [1] }] })).toEqual([
    "ERROR a columns[0].column_type: there is no column type 'lisd'. Did you mean 'listed'?",
    "ERROR a columns[0].first_value: unknown key 'first_value'. Did you mean 'first_values'?",
  ]);
  expect(told({ columns: [{ name: 'a', column_type: 'other', first_value: [1] }] })).toEqual([
    "ERROR a columns[0].column_type: there is no column type 'other'. Use one of: listed, talk.",
  ]);
});
