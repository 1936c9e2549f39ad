import { fieldsOf } from '@data-designer/core';
import { tokensOf } from '../chat/count-tokens.ts';
import { chooseRequestFault } from '../choose-fault.ts';
import { NO_TOKENS } from '../ledger.ts';
import { drawPicture } from '../pictures/draw-picture.ts';
import { badRequest, type Refusal, refusalBody } from '../refusal.ts';
import { CREATED } from './completion-body.ts';
import type { ReplyInputs, Protocol, Reply } from '../protocol.ts';

/** The body of a request for pictures, once checked. */
interface ImageRequest {
  readonly model: string;
  readonly prompt: string;
  readonly n?: number | null;
  readonly response_format?: 'b64_json' | 'url' | null;
}

const MOST_PICTURES = 4;

/** OpenAI's image generations: small PNGs, as they are or as addresses on this server. */
export const imagesProtocol: Protocol<ImageRequest> = {
  check: checkImageRequest,
  reply: replyWithPictures,
  refusalBody,
  textKey: undefined,
  flaws: {},
};

function checkImageRequest(body: unknown): Refusal | undefined {
  const { model, prompt, n, response_format: format } = fieldsOf(body);
  if (typeof model !== 'string' || model === '') return badRequest("Missing required parameter: 'model'.", 'model');
  if (typeof prompt !== 'string' || prompt === '') return badRequest("Missing required parameter: 'prompt'.", 'prompt');
  if (n != null && !(Number.isInteger(n) && Number(n) >= 1 && Number(n) <= MOST_PICTURES)) {
    return badRequest(`'n' must be 1 to ${MOST_PICTURES}.`, 'n');
  }
  if (format != null && format !== 'b64_json' && format !== 'url') {
    return badRequest("'response_format' must be b64_json or url.", 'response_format');
  }
  return undefined;
}

function replyWithPictures(request: ImageRequest, { settings, headers, hash, draws, timesSeen }: ReplyInputs): Reply {
  const { model, prompt, n, response_format: format } = request;
  const fault = chooseRequestFault(model, settings.faults, { draws, timesSeen });
  const numbers = fault === 'empty' ? [] : Array.from({ length: n ?? 1 }, (_, number) => number);
  const data = numbers.map((number) =>
    format === 'url'
      ? { url: `http://${headers.host ?? 'localhost'}/pictures/${hash}-${number}.png` }
      : { b64_json: drawPicture(draws, number) },
  );
  const promptTokens = tokensOf(prompt);
  const body = JSON.stringify({
    created: CREATED,
    data,
    usage: { input_tokens: promptTokens, output_tokens: 0, total_tokens: promptTokens },
  });
  return { body, tokens: { ...NO_TOKENS, promptTokens, pictures: data.length }, fault };
}
