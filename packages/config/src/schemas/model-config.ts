import { LONGEST_SECONDS } from '@data-designer/core';
import { z } from 'zod';
import { readsAs } from '../read-form.ts';
import { given, isGiven, snakeCase } from '../spelling.ts';
import { drawnNumber } from './distribution.ts';

/** A price. */
export const amount = z.number().min(0);

/** The prices of a model per million tokens, in one currency per run. */
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

/** The longest answer that is taken, in MB, unless the parameters say otherwise: pictures and vectors come as text. */
export const MAX_ANSWER_MB = { 'chat-completion': 16, embedding: 64, image: 64 } as const;
/** The default time limit of one attempt, in seconds: reasoning models answer late. */
export const ATTEMPT_TIMEOUT_SECONDS = 600;
/** The default time limit of all attempts of a call and the waits between them, in seconds. */
export const TOTAL_TIMEOUT_SECONDS = 600;
/** A longer answer could not be held as one text. */
const MOST_ANSWER_MB = 400;

const common = {
  maxParallelRequests: z.int().min(1).default(4).describe('Requests at a time to this model at this provider.'),
  timeout: z.int().min(1).nullable().default(null).describe('Seconds that one attempt of a request may take.'),
  totalTimeout: z
    .number()
    .positive()
    .max(LONGEST_SECONDS)
    .exactOptional()
    .describe(
      `Seconds that all attempts of a request and the waits between them may take; ${TOTAL_TIMEOUT_SECONDS} unless given.`,
    ),
  maxAnswerMb: z
    .number()
    .positive()
    .max(MOST_ANSWER_MB)
    .exactOptional()
    .describe(
      `Megabytes of the longest answer, unpacked: ${MAX_ANSWER_MB['chat-completion']} unless given, ${MAX_ANSWER_MB.image} for pictures and vectors.`,
    ),
  extraBody: z.record(z.string(), z.unknown()).nullable().default(null).describe('Further fields of the request body.'),
} as const;

/** The parameters of a text model; unset ones are not sent. */
const chat = z.strictObject({
  generationType: z.literal('chat-completion').default('chat-completion').describe('The model answers in text.'),
  ...common,
  temperature: drawnNumber(0, 2).describe('Sampling temperature, 0 to 2: a number, or a distribution to draw it from.'),
  topP: drawnNumber(0, 1).describe('Nucleus sampling, 0 to 1: a number, or a distribution to draw it from.'),
  maxTokens: z.int().min(1).nullable().default(null).describe('Longest answer, in tokens.'),
});

/** Parameters of a model that makes vectors of text. */
const embedding = z.strictObject({
  generationType: z.literal('embedding').describe('The model makes vectors.'),
  ...common,
  encodingFormat: z.enum(['float', 'base64']).default('float').describe('How vectors are sent.'),
  dimensions: z.int().nullable().default(null).describe('Length of the vectors, for models that offer several.'),
});

/** Parameters of a model that makes pictures. */
const image = z.strictObject({
  generationType: z.literal('image').describe('The model makes pictures.'),
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
    model: z.string().describe('The name that the provider uses.'),
    provider: z.string().describe('Name of a model provider.'),
    inferenceParameters: inferenceParameters
      .prefault({ generationType: 'chat-completion' })
      .describe('How answers are sampled, and how many at a time.'),
    skipHealthCheck: z.boolean().default(false).describe('Do not probe this model before a run.'),
    structuredOutput: z
      .boolean()
      .exactOptional()
      .describe('Whether its endpoint holds answers to JSON Schemas; found out before a run unless given.'),
    pricing: pricing.exactOptional().describe('What it costs.'),
  })
  .refine(
    ({ pricing: price, inferenceParameters: { generationType } }) =>
      !price || price.output !== undefined || generationType === 'embedding',
    {
      path: ['pricing', 'output'],
      error: 'required, unless the model makes embeddings',
    },
  );

export type ModelConfig = z.output<typeof modelConfig>;
export type InferenceParameters = ModelConfig['inferenceParameters'];
