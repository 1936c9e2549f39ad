import { z } from 'zod';
import type { RegisteredSeed } from '../define-seed.ts';
import { extendUnion } from '../extend-union.ts';
import { seedSource } from '../seed/seed-kinds.ts';

const range = z
  .strictObject({
    start: z.int().min(0).describe('First row, counted from 0.'),
    end: z.int().min(0).describe('Last row, included.'),
  })
  .refine(({ start, end }) => start <= end, { path: ['end'], error: 'start must not be after end; exchange them' });

const partition = z
  .strictObject({
    index: z.int().min(0).default(0).describe('The partition to use, counted from 0.'),
    numPartitions: z.int().min(1).default(1).describe('Number of equal partitions; the last one also has the rest.'),
  })
  .refine(({ index, numPartitions }) => index < numPartitions, {
    path: ['index'],
    error: 'index must be below num_partitions',
  });

/** Rows that a dataset starts from. */
export const seedConfig = z.strictObject({
  source: seedSource.describe('The source of the rows.'),
  samplingStrategy: z
    .enum(['ordered', 'shuffle'])
    .default('ordered')
    .describe('The order of the rows: `ordered` as in the source, or `shuffle` for a random order.'),
  selectionStrategy: z
    .union([range, partition])
    .nullable()
    .default(null)
    .describe(
      'A part of the rows: a range, or one of several partitions. For folders it selects files. Null for all rows.',
    ),
});

/** The schema of a seed, with the sources of plug-ins. */
export function seedConfigWith(further: readonly RegisteredSeed[]): typeof seedConfig {
  const source = extendUnion(seedSource, further).describe('The source of the rows.');
  return z.strictObject({ ...seedConfig.shape, source });
}

/** A parsed seed. */
export type SeedConfig = z.output<typeof seedConfig>;
