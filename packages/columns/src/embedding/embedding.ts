import { type ArrowType, field } from '@data-designer/core';
import { columnFields, defineColumn } from '@data-designer/config';
import { z } from 'zod';

/** One vector for each text of the target cell, in order, and how many and how long they are. */
const VECTORS = {
  struct: [
    field('embeddings', { list: { list: 'float64' } }),
    field('num_embeddings', 'int64'),
    field('dimension', 'int64'),
  ],
} as const satisfies ArrowType;

/** Vectors that a model makes of the text, or of the list of texts, in another column. */
export const embedding = defineColumn({
  type: 'embedding',
  schema: z.strictObject({
    ...columnFields('embedding'),
    targetColumn: z.string().describe('The column of the text, or list of texts, that vectors are made of.'),
    modelAlias: z.string().describe('Alias of the model that makes them.'),
  }),
  reads: ({ targetColumn }) => [{ name: targetColumn, field: ['targetColumn'] }],
  writes: ({ name }) => [field(name, VECTORS)],
  spends: ({ modelAlias }) => ({ models: [modelAlias], tools: [], generationTypes: ['embedding'] }),
  unmade: true,
});
