import { type Fields, fieldsOf, isFields, itemsOf } from '@data-designer/core';
import { errorIn, WITHHELD } from '../../answers/model-refusals.ts';
import type { AnswerForm, ModelProtocol } from '../../model-protocol.ts';
import { REQUEST_RULES } from '../../rules/request-rules.ts';
import { joinChunks } from './join-chunks.ts';

/** Any OpenAI-compatible endpoint: chat completions, embeddings and image generations. */
export const openai: ModelProtocol = {
  name: 'openai',
  generationTypes: ['chat-completion', 'embedding', 'image'],
  takesSchemas: true,
  takesSeed: true,
  paths: {
    'chat/completions': {
      looksUsable: (body) => !body.includes(ERROR) && FIRST_CHOICE.test(body) && MESSAGE.test(body),
      problemIn: problemInChoice,
      joinEvents: joinChunks,
      countImages: (body) => body.match(IMAGE_IN_CHAT)?.length ?? 0,
    },
    embeddings: listOf(() => 0),
    'images/generations': listOf((body) => body.match(IMAGE_IN_LIST)?.length ?? 0),
  },
  basePath: '',
  listQuery: '',
  headers: {},
  keyHeaders: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  publicHeaders: [],
  rules: REQUEST_RULES.openai,
  loadRequests: async () => (await import('./openai-requests.ts')).openaiRequests,
};

/** The finish reason of an answer whose generation failed (as OpenRouter says it). */
const FAILED = 'error';
/** A quote within a string stands behind a backslash, so that this is a key or a whole string. */
const ERROR = '"error"';
const DATA = '"data"';
/** A chat completion that has a first choice with a message; the rare others are parsed. */
const FIRST_CHOICE = /"choices"\s*:\s*\[\s*\{/;
const MESSAGE = /"message"\s*:\s*\{/;
/** An image of a list is under one of these keys; those of a chat under this one. */
const IMAGE_IN_LIST = /"(?:b64_json|url)"\s*:\s*"/g;
const IMAGE_IN_CHAT = /"image_url"\s*:\s*["{]/g;

function problemInChoice(answer: Fields): ReturnType<AnswerForm['problemIn']> {
  const choice = fieldsOf(itemsOf(answer.choices)[0]);
  const hasFailed = choice.finish_reason === FAILED;
  // An answer that a filter withheld may come without a message.
  const hasMessage = isFields(choice.message) || choice.finish_reason === WITHHELD;
  if (hasMessage && !choice.error && !hasFailed) return undefined;
  return {
    error: answer.error || choice.error || errorIn(answer),
    reason: hasFailed ? "its finish reason is 'error'" : 'it contains no choices',
  };
}

/** Answers with a list `data`. An error beside a filled list is ignored. */
function listOf(countImages: AnswerForm['countImages']): AnswerForm {
  return {
    looksUsable: (body) => !body.includes(ERROR) && body.includes(DATA),
    problemIn: (answer) => {
      const { data, error } = answer;
      const isUsable = data !== undefined && (!error || itemsOf(data).length > 0);
      return isUsable ? undefined : { error: errorIn(answer), reason: "it contains no 'data'" };
    },
    countImages,
  };
}
