import { z } from 'zod';

/** The parameters of every tool that makes records. */
export const runParameters = {
  seed: z.int().min(0).optional().describe('Seed of the run; default: random.'),
  max_cost: z
    .number()
    .positive()
    .optional()
    .describe('Stop once the answers cost this much, in the currency of the prices; finished records are kept.'),
} as const;

/** The maximum wait of a call: clients commonly give up after 60 seconds. */
const MAX_WAIT_SECONDS = 50;

/** The parameter for the wait until a dataset is complete. */
export const waitSeconds = z
  .number()
  .min(0)
  .max(MAX_WAIT_SECONDS)
  .default(20)
  .describe('Seconds to wait for the end; then the progress is returned.');

/** The parameter for the number of records, at most `most`. */
export function numRecords(most: number): z.ZodDefault<z.ZodInt> {
  return z.int().min(1).max(most).default(Math.min(10, most)).describe('Records to make.');
}
