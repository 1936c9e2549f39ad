import { field } from '@data-designer/core';
import { readForm } from '@data-designer/config';
import { expect, test } from 'vitest';
import { embedding } from './embedding.ts';

const { schema } = embedding;
const document = { name: 'vector', column_type: 'embedding', target_column: 'verse', model_alias: 'maker' };
const config = schema.parse(readForm(schema, document));

test('reads its target and spends a model', () => {
  expect(embedding.reads?.(config)).toEqual([{ name: 'verse', field: ['targetColumn'] }]);
  expect(embedding.spends?.(config)).toMatchObject({ models: ['maker'], generationTypes: ['embedding'] });
  expect(embedding.templates).toBeUndefined();
});

test('writes vectors with their number and length', () => {
  expect(embedding.writes(config)).toEqual([
    field('vector', {
      struct: [
        field('embeddings', { list: { list: 'float64' } }),
        field('num_embeddings', 'int64'),
        field('dimension', 'int64'),
      ],
    }),
  ]);
});

test('is declared, but not made yet', () => {
  expect(embedding).toMatchObject({ unmade: true });
});

test.each(['target_column', 'model_alias'])('does not load without %s', (key) => {
  const { [key]: _, ...rest } = document as Record<string, string>;
  expect(schema.safeParse(readForm(schema, rest)).success).toBe(false);
});

test('has no prompt', () => {
  expect(schema.safeParse(readForm(schema, { ...document, prompt: 'Go.' })).error?.issues).toMatchObject([
    { code: 'unrecognized_keys', keys: ['prompt'] },
  ]);
});
