import { z } from 'zod';

/** Summarises the judge columns of a dataset with a model. */
export const profiler = z.strictObject({
  modelAlias: z.string().describe('Alias of the model that summarises.'),
  summaryScoreSampleSize: z
    .int()
    .min(1)
    .nullable()
    .default(20)
    .describe('Judgements of each score that are shown to it; null for no summary.'),
});

export type Profiler = z.output<typeof profiler>;
