import { z } from 'zod';
import type { RegisteredSeed } from '../define-seed.ts';
import { extendUnion } from './extend-union.ts';
import { seedSource } from '../seed/seed-kinds.ts';

const range = z
  .strictObject({
    start: z.int().min(0).describe('First row, from 0.'),
    end: z.int().min(0).describe('Last row, included.'),
  })
  .refine(({ start, end }) => start <= end, { path: ['end'], error: 'start must not be after end' });

const partition = z
  .strictObject({
    index: z.int().min(0).default(0).describe('Which part, from 0.'),
    numPartitions: z.int().min(1).default(1).describe('Equal parts; the last takes the rest.'),
  })
  .refine(({ index, numPartitions }) => index < numPartitions, {
    path: ['index'],
    error: 'index must be below num_partitions',
  });

/** Rows that a dataset starts from. */
export const seedConfig = z.strictObject({
  source: seedSource.describe('Where the rows come from.'),
  samplingStrategy: z.enum(['ordered', 'shuffle']).default('ordered').describe('In order, or in random order.'),
  selectionStrategy: z
    .union([range, partition])
    .nullable()
    .default(null)
    .describe('Only a range or a part of the rows (of the files, where each file makes rows).'),
});

/** The schema of a seed, with the sources of plug-ins. */
export function seedConfigWith(further: readonly RegisteredSeed[]): typeof seedConfig {
  const source = extendUnion(seedSource, further).describe('Where the rows come from.');
  return z.strictObject({ ...seedConfig.shape, source });
}

/** A parsed seed. */
export type SeedConfig = z.output<typeof seedConfig>;
