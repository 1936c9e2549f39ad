import { field } from '@data-designer/core';
import { defineColumn, sourceColumnFields } from '@data-designer/config';
import { z } from 'zod';

/** A column of the seed rows; it is there without being declared, and stands in files that record a whole run. */
export const seedDataset = defineColumn({
  type: 'seed-dataset',
  schema: z.strictObject(sourceColumnFields('seed-dataset')),
  writes: ({ name }) => [field(name, 'utf8', { json: true })],
  ofSeed: true,
  unmade: true,
});
