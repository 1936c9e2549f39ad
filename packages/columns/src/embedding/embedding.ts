import { z } from 'zod';
import { type ArrowType, type Cell, DataDesignerError, field, valueType } from '@data-designer/core';
import { columnFields, defineColumn, type RowWith } from '@data-designer/config';
import { textsToEmbed } from './texts-to-embed.ts';

/** One vector per text, in order, with their number and length. */
const VECTORS = {
  struct: [
    field('embeddings', { list: { list: 'float64' } }),
    field('num_embeddings', 'int64'),
    field('dimension', 'int64'),
  ],
} as const satisfies ArrowType;

/** Vectors of the text or texts in another column; an empty list yields none without a request. */
export const embedding = defineColumn({
  type: 'embedding',
  bounded: true,
  schema: z
    .strictObject({
      ...columnFields('embedding'),
      targetColumn: z.string().describe('The column with the text, or the list of texts, to embed.'),
      modelAlias: z.string().describe('Alias of the embedding model, from `model_configs`.'),
    })
    .describe(
      'Embeds the text of another column with an embedding model. The cell contains `embeddings`, `num_embeddings` and `dimension`.',
    ),
  row: valueType<RowWith<{ embeddings: number[][]; num_embeddings: number; dimension: number }>>(),
  example: { name: 'vectors', column_type: 'embedding', model_alias: 'vectors', target_column: 'topic' },
  reads: ({ targetColumn }) => [{ name: targetColumn, field: ['targetColumn'] }],
  writes: ({ name }) => [field(name, VECTORS)],
  requires: ({ modelAlias }) => ({ models: [modelAlias], tools: [], generationTypes: ['embedding'] }),
  cell:
    ({ targetColumn, modelAlias }) =>
    async (cell: Cell) => {
      const texts = textsToEmbed(cell.row[targetColumn] ?? null, targetColumn);
      const embeddings = texts.length === 0 ? [] : await cell.embed({ modelAlias, texts });
      const dimension = embeddings[0]?.length ?? 0;
      const reason = misfitOf(embeddings, texts.length, dimension);
      if (reason !== undefined) throw new DataDesignerError('model/bad-answer', { model: modelAlias, reason });
      return [{ embeddings, num_embeddings: texts.length, dimension }];
    },
});

/** Describes a wrong number of vectors, or vectors of different lengths. */
function misfitOf(vectors: readonly (readonly number[])[], texts: number, dimension: number): string | undefined {
  if (vectors.length !== texts) return `it made ${vectors.length} vectors of ${texts} texts`;
  const other = vectors.find(({ length }) => length !== dimension);
  return other && `it made vectors of ${dimension} and of ${other.length} numbers`;
}
