import { z } from 'zod';

/** A price. */
export const amount = z.number().min(0);

/** What a model costs per million tokens, in whatever currency all prices of a run are. */
export const pricing = z.strictObject({
  input: amount.describe('Per million tokens of the prompt.'),
  output: amount
    .exactOptional()
    .describe('Per million tokens of the answer, reasoning included; an embedding model has none.'),
  cachedInput: amount
    .nullable()
    .default(null)
    .describe('Per million tokens of the prompt that the provider had from an earlier request; as input where null.'),
  image: amount.nullable().default(null).describe('Per picture that the model makes.'),
});
