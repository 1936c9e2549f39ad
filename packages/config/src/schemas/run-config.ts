import { z } from 'zod';

/** How a run goes, apart from what the dataset is. */
export const runConfig = z.strictObject({
  seed: z.int().min(0).nullable().default(null).describe('Seed of all randomness; chosen and recorded when null.'),
  bufferSize: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe('Rows per row group; null means 1,000, or 100,000 for local plans.'),
  maxConcurrentRowGroups: z.int().min(1).default(3).describe('Row groups open at a time, at least.'),
  maxConversationRestarts: z
    .int()
    .min(0)
    .default(5)
    .describe('Fresh starts of a conversation that gives no valid answer.'),
  maxConversationCorrectionSteps: z.int().min(0).default(0).describe('Corrections within one conversation.'),
  debugOverrideSaveAllColumnTraces: z.boolean().default(false).describe('Keep the whole trace of every model column.'),
});

export type RunConfig = z.output<typeof runConfig>;
