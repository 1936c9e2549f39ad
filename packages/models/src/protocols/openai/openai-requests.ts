import type { ResponseFormatJSONSchema } from 'openai/resources/shared';
import type { ChatRequest, ImageAnswer, ImageRequest } from '../../model-client.ts';
import type { ModelRequests, PreparedRequest } from '../../model-protocol.ts';
import { contentOf } from '../../conversation-messages.ts';
import { parseCompletion, readCompletion } from './read-completion.ts';
import {
  countImagesBesideText,
  countImageList,
  countChatImages,
  readImageList,
  readChatImages,
} from './read-images.ts';
import { readVectors } from './read-vectors.ts';
import { toOpenAIMessages } from './to-openai-messages.ts';

/** Models of these names make images by a route of their own, without a conversation (as in NeMo Data Designer). */
const IMAGE_MODELS = ['dall-e-', 'dalle', 'stable-diffusion', 'sd-', 'sd_', 'imagen', 'gpt-image-'];

/** Requests of any OpenAI-compatible endpoint. */
export const openaiRequests: ModelRequests = {
  parseBody: parseCompletion,
  chat: ({ model, messages, tools, shape, parameters, ...answers }) => ({
    path: 'chat/completions',
    body: {
      model,
      messages: toOpenAIMessages(messages, answers),
      ...(tools ? { tools } : {}),
      ...(shape ? { response_format: responseFormat(shape) } : {}),
      ...withoutChoices(parameters),
    },
    read: (answer, at) => readCompletion(answer, model, at),
    countImages: countImagesBesideText,
  }),
  embed: ({ model, texts, parameters }) => ({
    path: 'embeddings',
    body: { model, input: texts, ...parameters },
    read: (answer) => ({ vectors: readVectors(answer, texts.length, model) }),
  }),
  generateImage: prepareImage,
};

function prepareImage({ model, prompt, media, parameters }: ImageRequest): PreparedRequest<ImageAnswer> {
  const name = model.toLowerCase();
  if (IMAGE_MODELS.some((part) => name.includes(part))) {
    return {
      path: 'images/generations',
      body: { model, prompt, ...parameters },
      read: (answer) => readImageList(answer, model),
      countImages: countImageList,
    };
  }
  const messages = toOpenAIMessages([{ role: 'user', content: contentOf(media, prompt) }]);
  return {
    path: 'chat/completions',
    body: { model, messages, ...withoutChoices(parameters) },
    read: (answer) => readChatImages(answer, model),
    countImages: countChatImages,
  };
}

function responseFormat({ schema, strict }: NonNullable<ChatRequest['shape']>): ResponseFormatJSONSchema {
  return { type: 'json_schema', json_schema: { name: 'answer', schema, strict } };
}

/** A chat takes one answer at a time: several choices are never wanted (as in NeMo Data Designer). */
function withoutChoices(parameters: ChatRequest['parameters']): ChatRequest['parameters'] {
  if (!('n' in parameters)) return parameters;
  const { n: _, ...others } = parameters;
  return others;
}
