import { z } from 'zod';

/** Summarises the judge columns of a dataset with a model. */
export const profiler = z.strictObject({
  modelAlias: z.string().describe('Alias of the model that writes the summaries, from `model_configs`.'),
  summaryScoreSampleSize: z
    .int()
    .min(1)
    .nullable()
    .default(20)
    .describe('Number of judgements of each score that the model reads; null for no summary.'),
});

export type Profiler = z.output<typeof profiler>;
