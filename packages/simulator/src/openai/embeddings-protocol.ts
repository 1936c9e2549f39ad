import { fieldsOf } from '@data-designer/core';
import { hash as digest } from 'node:crypto';
import { tokensOf } from '../chat/count-tokens.ts';
import { chooseRequestFault } from '../choose-fault.ts';
import { Draws } from '../draws.ts';
import { NO_TOKENS } from '../ledger.ts';
import { badRequest, type Refusal, refusalBody } from '../refusal.ts';
import type { ReplyInputs, Protocol, Reply } from '../protocol.ts';

/** The body of a request for vectors, once checked. */
interface EmbeddingRequest {
  readonly model: string;
  readonly input: string | readonly string[];
  readonly encoding_format?: 'float' | 'base64' | null;
  readonly dimensions?: number | null;
}

const DIMENSIONS = 16;
const MOST_DIMENSIONS = 4096;
const MOST_TEXTS = 2048;

/** OpenAI's embeddings: one vector of length 1 for each text, the same for the same text. */
export const embeddingsProtocol: Protocol<EmbeddingRequest> = {
  check: checkEmbeddingRequest,
  reply: replyWithVectors,
  refusalBody,
  textKey: undefined,
  flaws: {},
};

function checkEmbeddingRequest(body: unknown): Refusal | undefined {
  const { model, input, encoding_format: format, dimensions } = fieldsOf(body);
  if (typeof model !== 'string' || model === '') return badRequest("Missing required parameter: 'model'.", 'model');
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (
    texts.length === 0 ||
    texts.length > MOST_TEXTS ||
    texts.some((text) => typeof text !== 'string' || text === '')
  ) {
    return badRequest(`'input' must be a filled text, or 1 to ${MOST_TEXTS} of them.`, 'input');
  }
  if (format != null && format !== 'float' && format !== 'base64') {
    return badRequest("'encoding_format' must be float or base64.", 'encoding_format');
  }
  const fits = Number.isInteger(dimensions) && Number(dimensions) >= 1 && Number(dimensions) <= MOST_DIMENSIONS;
  if (dimensions != null && !fits) return badRequest(`'dimensions' must be 1 to ${MOST_DIMENSIONS}.`, 'dimensions');
  return undefined;
}

function replyWithVectors(request: EmbeddingRequest, { settings, draws, timesSeen }: ReplyInputs): Reply {
  const { model, input, encoding_format: format, dimensions } = request;
  const texts = typeof input === 'string' ? [input] : input;
  const fault = chooseRequestFault(model, settings.faults, { draws, timesSeen });
  const promptTokens = texts.reduce((sum, text) => sum + tokensOf(text), 0);
  const vectors = texts.map((text) => vectorOf(text, dimensions ?? DIMENSIONS, settings.seed));
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector],
  }));
  const body = JSON.stringify({
    object: 'list',
    model,
    data: fault === 'empty' ? [] : data,
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
  });
  return { body, tokens: { ...NO_TOKENS, promptTokens }, fault };
}

function vectorOf(text: string, dimensions: number, seed: number): Float32Array {
  const random = Draws.ofRequest(seed, digest('sha256', text, 'hex')).of('answer');
  const numbers = Float64Array.from({ length: dimensions }, () => 2 * random.float() - 1);
  const length = Math.hypot(...numbers) || 1;
  return Float32Array.from(numbers, (number) => number / length);
}
