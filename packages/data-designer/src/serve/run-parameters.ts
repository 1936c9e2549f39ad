import { z } from 'zod';

/** What every tool that makes records takes beside what is to be made. */
export const wantedRun = {
  seed: z.int().min(0).optional().describe('Seed of all randomness; chosen unless given.'),
  max_cost: z
    .number()
    .positive()
    .optional()
    .describe('Ask nothing further once answers cost this much, in the currency of the prices.'),
} as const;

/** Seconds that a call may wait, at most: clients commonly give up after 60. */
const MAX_WAIT_SECONDS = 50;

/** How long a tool waits for a dataset to be complete. */
export const waitSeconds = z
  .number()
  .min(0)
  .max(MAX_WAIT_SECONDS)
  .default(20)
  .describe('Seconds to wait for the end; what has been made by then is told.');

/** How many records of a dataset may be asked for, and how many are unless given. */
export function numRecords(most: number): z.ZodDefault<z.ZodInt> {
  return z.int().min(1).max(most).default(Math.min(10, most)).describe('Records to make.');
}
