import { parseJson, type ToolSchema } from '@data-designer/core';
import type { ChatRequest } from '../../model-client.ts';
import type { ModelRequests } from '../../model-protocol.ts';
import { readAnthropicAnswer } from './read-anthropic-answer.ts';
import { toAnthropicMessages } from './to-anthropic-messages.ts';

type Parameters = ChatRequest['parameters'];

/** Longest answer unless the parameters say: this protocol wants a number (as in NeMo Data Designer). */
const MAX_TOKENS = 4096;

/** Parameters that this protocol does not know. */
const UNKNOWN = new Set(['n', 'response_format', 'frequency_penalty', 'presence_penalty', 'seed', 'stop']);

/** Requests of Anthropic's Messages protocol. */
export const anthropicRequests: ModelRequests = {
  parseBody: parseJson,
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

function toAnthropicTool({ function: { name, description, parameters } }: ToolSchema) {
  return { name, description, input_schema: parameters };
}

const translated = new WeakMap<Parameters, Parameters>();

/** Parameters in this protocol's names; those that stand for all requests are translated once. */
function toAnthropicParameters(parameters: Parameters): Parameters {
  let known = translated.get(parameters);
  if (!known) translated.set(parameters, (known = translate(parameters)));
  return known;
}

function translate(parameters: Parameters): Parameters {
  const { stop } = parameters;
  const known = Object.entries(parameters).filter(([name]) => !UNKNOWN.has(name));
  return {
    max_tokens: MAX_TOKENS,
    ...(stop == null ? {} : { stop_sequences: typeof stop === 'string' ? [stop] : stop }),
    ...Object.fromEntries(known),
  };
}
