import { parseVerbatim } from '@data-designer/core';
import type { ModelRequests } from '../../model-protocol.ts';
import type { SentTool } from '../../rules/request-rules.ts';
import { readAnthropicAnswer } from './read-anthropic-answer.ts';
import { sharedParameters, translatedOnce } from '../translate-messages.ts';
import { toAnthropicMessages } from './to-anthropic-messages.ts';

/** Longest answer unless the parameters say: this protocol wants a number (as in NeMo Data Designer). */
const MAX_TOKENS = 4096;

/** Requests of Anthropic's Messages protocol. */
export const anthropicRequests: ModelRequests = {
  parseBody: parseVerbatim,
  chat: ({ model, messages, tools, parameters, asWritten }) => ({
    path: 'messages',
    body: {
      model,
      ...toAnthropicMessages(messages, { model, asWritten }),
      ...(tools ? { tools: tools.map(toAnthropicTool) } : {}),
      ...toAnthropicParameters(parameters),
    },
    read: (answer, at) => readAnthropicAnswer(answer, model, at),
  }),
  embed: undefined,
  generateImage: undefined,
};

function toAnthropicTool({ function: { name, description, parameters } }: SentTool) {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: parameters ?? { type: 'object', properties: {} },
  };
}

/** Parameters in this protocol's names. */
const toAnthropicParameters = translatedOnce(({ stop, ...others }) => ({
  max_tokens: MAX_TOKENS,
  ...(stop == null ? {} : { stop_sequences: typeof stop === 'string' ? [stop] : stop }),
  ...sharedParameters(others),
}));
