import { expect, test } from 'vitest';
import { type Cell, type CellValue, type EmbeddingQuestion, field, isFailure } from '@data-designer/core';
import { readForm } from '@data-designer/config';
import { embedding } from './embedding.ts';

const { schema } = embedding;
const document = { name: 'vector', column_type: 'embedding', target_column: 'verse', model_alias: 'maker' };
const config = schema.parse(readForm(schema, document));

test('reads its target and requires a model', () => {
  expect(embedding.reads?.(config)).toEqual([{ name: 'verse', field: ['targetColumn'] }]);
  expect(embedding.requires?.(config)).toMatchObject({ models: ['maker'], generationTypes: ['embedding'] });
  expect(embedding.templates).toBeUndefined();
});

test('writes vectors with their count and dimension', () => {
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

/** Runs a cell on a value: returns its requests and the values it writes. */
async function make(verse: CellValue, vectors: readonly (readonly number[])[]) {
  const asked: EmbeddingQuestion[] = [];
  const cell = {
    row: { verse },
    embed: (question: EmbeddingQuestion) => {
      asked.push(question);
      return Promise.resolve(vectors);
    },
  };
  const { cell: maker } = embedding as Extract<typeof embedding, { cell: unknown }>;
  const written = await maker(config, { templates: 'secure', constraints: [] })(cell as unknown as Cell);
  return { asked, written };
}

test('embeds all texts in one request', async () => {
  const { asked, written } = await make(
    ['Bees hum.', ' Salt. '],
    [
      [0.5, 1],
      [2, 3],
    ],
  );
  expect(asked).toEqual([{ modelAlias: 'maker', texts: ['Bees hum.', 'Salt.'] }]);
  expect(written).toEqual([
    {
      embeddings: [
        [0.5, 1],
        [2, 3],
      ],
      num_embeddings: 2,
      dimension: 2,
    },
  ]);
});

test('an empty list has no vectors and sends no request', async () => {
  const { asked, written } = await make('[]', []);
  expect(asked).toEqual([]);
  expect(written).toEqual([{ embeddings: [], num_embeddings: 0, dimension: 0 }]);
});

test.each([
  [[[1, 2]], /made 1 vectors of 2 texts/],
  [[[1, 2], [1]], /vectors of 2 and of 1 numbers/],
])('rejects %j as the vectors of two texts', async (vectors, reason) => {
  const failure: unknown = await make(['a', 'b'], vectors).catch((thrown: unknown) => thrown);
  expect(isFailure(failure, 'model/bad-answer')).toBe(true);
  expect((failure as Error).message).toMatch(reason);
});

test.each(['target_column', 'model_alias'])('does not load without %s', (key) => {
  const { [key]: _, ...rest } = document as Record<string, string>;
  expect(schema.safeParse(readForm(schema, rest)).success).toBe(false);
});

test('refuses a prompt', () => {
  expect(schema.safeParse(readForm(schema, { ...document, prompt: 'Go.' })).error?.issues).toMatchObject([
    { code: 'unrecognized_keys', keys: ['prompt'] },
  ]);
});
