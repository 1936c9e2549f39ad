import { z } from 'zod';
import { defineProcessor, processorFields } from '../define-processor.ts';
import { matchesPattern } from '../name-pattern.ts';

/** Leaves columns, side effects of others included, out of the written table. */
export const dropColumns = defineProcessor({
  type: 'drop_columns',
  schema: z.strictObject({
    ...processorFields('drop_columns', 'Leaves columns out of the dataset.'),
    columnNames: z.array(z.string()).describe('Names of columns; one with a * stands for all that match.'),
  }),
  stage: 'post_batch',
  drops: ({ columnNames }, column) => columnNames.some((entry) => matchesPattern(column, entry)),
});
