import { type Fields, isFields } from '@data-designer/core';
import { errorIn } from '../../answers/model-refusals.ts';
import type { AnswerForm, ModelProtocol } from '../../model-protocol.ts';
import { REQUEST_RULES } from '../../rules/request-rules.ts';
import { joinResponseEvents } from './join-response-events.ts';

/** OpenAI's Responses API: chats alone. Nothing is stored at the provider, and nothing depends on what is. */
export const openaiResponses: ModelProtocol = {
  name: 'openai-responses',
  generationTypes: ['chat-completion'],
  takesSchemas: true,
  takesSeed: false,
  paths: {
    responses: {
      looksUsable: (body) => ENDED.test(body) && OUTPUT.test(body),
      problemIn,
      joinEvents: joinResponseEvents,
      countImages: () => 0,
    },
  },
  basePath: '',
  listQuery: '',
  headers: {},
  keyHeaders: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  publicHeaders: [],
  rules: REQUEST_RULES.openai,
  loadRequests: async () => (await import('./responses-requests.ts')).responsesRequests,
};

/** A response states its status before its first nested object; the `error` of a usable one is null. */
const ENDED = /^\s*\{[^{}]*"status"\s*:\s*"(?:completed|incomplete)"/;
const OUTPUT = /"output"\s*:\s*\[/;
const USABLE_STATUS: ReadonlySet<unknown> = new Set(['completed', 'incomplete', undefined]);

function problemIn(answer: Fields): ReturnType<AnswerForm['problemIn']> {
  const { status, output, error } = answer;
  if (!Array.isArray(output)) return { error: withStatus(errorIn(answer)), reason: "it contains no 'output'" };
  if (USABLE_STATUS.has(status) && (!error || output.length > 0)) return undefined;
  return { error: withStatus(error), reason: `its status is '${String(status)}'` };
}

/** Codes of errors that the same request would meet again. */
const FINAL = /^(?:invalid|unsupported|empty|image|failed_to_download)_|_policy$/;

/** An error of a response names no HTTP status: the one that its code means. */
function withStatus(error: unknown): unknown {
  if (!isFields(error) || typeof error.code !== 'string') return error;
  if (error.code === 'rate_limit_exceeded') return { ...error, status: 429 };
  return FINAL.test(error.code) ? { ...error, status: 400 } : error;
}
