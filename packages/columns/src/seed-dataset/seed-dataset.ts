import { z } from 'zod';
import { DataDesignerError, field, SEED_TABLE } from '@data-designer/core';
import { defineColumn, sourceColumnFields } from '@data-designer/config';
import { runFinding } from '../run-finding.ts';

/** A column of the seed rows; it is there without being declared, and stands in files that record a whole run. */
export const seedDataset = defineColumn({
  type: 'seed-dataset',
  bounded: true,
  schema: z
    .strictObject(sourceColumnFields('seed-dataset'))
    .describe('A column of the seed dataset. You do not declare it; files that record a whole run list it.'),
  // What the rows hold is known once they are looked at: a plan has the field that was found there.
  writes: ({ name }) => [field(name, 'utf8', { json: true })],
  ofSeed: true,
  shownAs: () => ({ as: 'seed' }),
  // Beside a seed it would have been taken out: the rows of the seed say which columns there are.
  check: () => [
    runFinding([], {
      type: 'seed_missing',
      message: 'the column takes its values from a seed, but the config has no seed.',
      remedy: 'Declare a seed_config, or remove the column.',
    }),
  ],
  fill:
    ({ name }) =>
    (_range, _random, { tables }) => {
      const values = tables.get(SEED_TABLE)?.get(name);
      if (values) return { written: [values] };
      throw new DataDesignerError('internal/unexpected', { reason: `no seed rows with a column '${name}' are there` });
    },
});
