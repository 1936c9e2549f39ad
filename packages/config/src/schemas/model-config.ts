import { LONGEST_SECONDS } from '@data-designer/core';
import { z } from 'zod';
import { readsAs } from '../read-form.ts';
import { given, isGiven, snakeCase } from '../spelling.ts';
import { drawnNumber } from './distribution.ts';

/** A price. */
export const amount = z.number().min(0);

/** The prices of a model per million tokens, in one currency per run. */
export const pricing = z.strictObject({
  input: amount.describe('Price of a million prompt tokens.'),
  output: amount
    .exactOptional()
    .describe('Price of a million answer tokens, reasoning included. Required, except for embedding models.'),
  cachedInput: amount
    .nullable()
    .default(null)
    .describe('Price of a million prompt tokens that the provider read from its cache; null for the price of `input`.'),
  image: amount.nullable().default(null).describe('Price of a generated image.'),
});

/** The longest answer that is taken, in MB, unless the parameters say otherwise: pictures and vectors come as text. */
export const MAX_ANSWER_MB = { 'chat-completion': 16, embedding: 64, image: 64 } as const;
/** The default time limit of one attempt, in seconds: reasoning models answer late. */
export const ATTEMPT_TIMEOUT_SECONDS = 600;
/** The default time limit of all attempts of a call and the waits between them, in seconds. */
export const TOTAL_TIMEOUT_SECONDS = 600;
/** A longer answer could not be held as one text. */
const MOST_ANSWER_MB = 400;

/** A rate that a provider allows. */
const rate = z.int().min(1).exactOptional();

const common = {
  maxParallelRequests: z
    .int()
    .min(1)
    .default(4)
    .describe('Maximum number of parallel requests to this model at this provider.'),
  timeout: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(`Time limit of one attempt of a request, in seconds; null for ${ATTEMPT_TIMEOUT_SECONDS}.`),
  totalTimeout: z
    .number()
    .positive()
    .max(LONGEST_SECONDS)
    .exactOptional()
    .describe(
      `Time limit of all attempts of a request and the waits between them, in seconds; default ${TOTAL_TIMEOUT_SECONDS}.`,
    ),
  maxAnswerMb: z
    .number()
    .positive()
    .max(MOST_ANSWER_MB)
    .exactOptional()
    .describe(
      `Size limit of an uncompressed answer, in megabytes; default ${MAX_ANSWER_MB['chat-completion']}, and ${MAX_ANSWER_MB.image} for images and embeddings.`,
    ),
  requestsPerMinute: rate.describe(
    'Maximum number of requests per minute, retries included; no limit if absent. If several aliases name the same model, the smallest limit applies to all of them.',
  ),
  tokensPerMinute: rate.describe(
    'Maximum number of tokens per minute, of prompts and answers; no limit if absent. If several aliases name the same model, the smallest limit applies to all of them.',
  ),
  extraBody: z
    .record(z.string(), z.unknown())
    .nullable()
    .default(null)
    .describe(
      "Further fields of the request body, such as `reasoning_effort`. Fields of the provider's `extra_body` override them.",
    ),
} as const;

/** The parameters of a text model; unset ones are not sent. */
const chat = z.strictObject({
  generationType: z.literal('chat-completion').default('chat-completion').describe('The model writes text.'),
  ...common,
  temperature: drawnNumber(0, 2).describe(
    'Sampling temperature: a number, or a distribution from which each request draws a value.',
  ),
  topP: drawnNumber(0, 1).describe(
    'Nucleus sampling: a number, or a distribution from which each request draws a value.',
  ),
  maxTokens: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe("Maximum number of tokens in an answer; null for the provider's own limit."),
});

/** Parameters of a model that makes vectors of text. */
const embedding = z.strictObject({
  generationType: z.literal('embedding').describe('The model embeds text.'),
  ...common,
  encodingFormat: z.enum(['float', 'base64']).default('float').describe('The encoding of vectors in answers.'),
  dimensions: z
    .int()
    .nullable()
    .default(null)
    .describe('Length of the vectors, for models that offer several lengths.'),
});

/** Parameters of a model that makes pictures. */
const image = z.strictObject({
  generationType: z.literal('image').describe('The model generates images.'),
  ...common,
});

const EMBEDDING_ONLY = ['encodingFormat', 'dimensions'] as const;

/** A model without a generation type gets it from its parameters (as in NeMo Data Designer). */
const inferenceParameters = readsAs(z.discriminatedUnion('generationType', [chat, embedding, image]), (value) => {
  const type = given(value, 'generationType');
  if (type === 'image' || type === 'embedding') return value;
  const only = EMBEDDING_ONLY.find((key) => isGiven(value, key));
  if (type === undefined) return { ...value, generationType: only === undefined ? 'chat-completion' : 'embedding' };
  if (only === undefined || type !== 'chat-completion') return value;
  const { generation_type: _, ...rest } = value;
  return { ...rest, generationType: `${type} with ${snakeCase(only)}` };
});

/** A model under the alias that columns use. */
export const modelConfig = z
  .strictObject({
    alias: z.string().describe('The name that columns use.'),
    model: z.string().describe('The name of the model at its provider.'),
    provider: z
      .string({
        error: ({ input }) =>
          input === undefined ? 'the model has no provider; add one, as in provider: openai' : undefined,
      })
      .describe('Name of the model provider.'),
    inferenceParameters: inferenceParameters
      .prefault({ generationType: 'chat-completion' })
      .describe('Parameters of the requests: sampling, time limits and parallel requests.'),
    skipHealthCheck: z
      .boolean()
      .default(false)
      .describe('Whether to skip the test request to this model before a run.'),
    structuredOutput: z
      .boolean()
      .exactOptional()
      .describe(
        'Whether the endpoint enforces JSON Schemas. Without this key, a test request before the run finds out.',
      ),
    pricing: pricing.exactOptional().describe('Prices of the model, all in one currency.'),
  })
  .refine(
    ({ pricing: price, inferenceParameters: { generationType } }) =>
      !price || price.output !== undefined || generationType === 'embedding',
    {
      path: ['pricing', 'output'],
      error: 'this key is required unless the model makes embeddings',
    },
  );

export type ModelConfig = z.output<typeof modelConfig>;
export type InferenceParameters = ModelConfig['inferenceParameters'];
