import { z } from 'zod';

/** Inference parameters of a chat model; only what is set is sent. */
const chatParameters = z.strictObject({
  generationType: z.literal('chat-completion').default('chat-completion').describe('What the model makes.'),
  temperature: z.number().min(0).max(2).nullable().default(null).describe('Sampling temperature, 0 to 2.'),
  topP: z.number().min(0).max(1).nullable().default(null).describe('Nucleus sampling, 0 to 1.'),
  maxTokens: z.int().min(1).nullable().default(null).describe('Longest answer, in tokens.'),
  maxParallelRequests: z.int().min(1).default(4).describe('Requests at a time to this model at this provider.'),
  timeout: z.int().min(1).nullable().default(null).describe('Seconds one request may take, retries included.'),
  extraBody: z.record(z.string(), z.unknown()).nullable().default(null).describe('Further fields of the request body.'),
});

/** A model under the alias that columns use. */
export const modelConfig = z.strictObject({
  alias: z.string().min(1).describe('The name that columns use.'),
  model: z.string().min(1).describe('The name that the provider uses.'),
  provider: z.string().min(1).describe('Name of a model provider.'),
  inferenceParameters: chatParameters.prefault({}).describe('How answers are sampled, and how many at a time.'),
  skipHealthCheck: z.boolean().default(false).describe('Do not probe this model before a run.'),
});

export type ModelConfig = z.output<typeof modelConfig>;
