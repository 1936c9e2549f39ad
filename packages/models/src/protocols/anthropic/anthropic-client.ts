import { type Address, type Gateway, limitsOf, parseJson, stringifyJson, type ToolSchema } from '@data-designer/core';
import type {
  ChatAnswer,
  ChatRequest,
  EmbeddingRequest,
  ImageRequest,
  Meter,
  ModelClient,
} from '../../model-client.ts';
import { cannot } from './cannot.ts';
import { parseBody } from '../../answers/parse-body.ts';
import { sendCall } from '../../send-call.ts';
import { readAnthropicAnswer, readSpent } from './read-anthropic-answer.ts';
import { toAnthropicMessages } from './to-anthropic-messages.ts';

type Parameters = ChatRequest['parameters'];

/** Longest answer unless the parameters say: this protocol wants a number (as in NeMo Data Designer). */
const MAX_TOKENS = 4096;

/** Parameters that this protocol does not know. */
const UNKNOWN = new Set(['n', 'response_format', 'frequency_penalty', 'presence_penalty', 'seed', 'stop']);

/** Anthropic's Messages protocol, through the gateway's resource `resource`. Makes no vectors and no pictures. */
export class AnthropicClient implements ModelClient {
  readonly #gateway: Gateway;
  readonly #resource: string;
  readonly #translate = translateOnce();

  constructor(gateway: Gateway, resource: string) {
    this.#gateway = gateway;
    this.#resource = resource;
  }

  async chat(request: ChatRequest, at: Address, meter?: Meter): Promise<ChatAnswer> {
    const { model, messages, tools, asWritten } = request;
    const body = stringifyJson({
      model,
      ...toAnthropicMessages(messages, { model, asWritten }),
      ...(tools ? { tools: tools.map(toAnthropicTool) } : {}),
      ...this.#translate(request.parameters),
    });
    const target = { resource: this.#resource, model, ...limitsOf(request), at, meter };
    const outcome = await sendCall(this.#gateway, 'messages', { body, target });
    const answer = parseBody(outcome.body, target, parseJson);
    meter?.onSpent(readSpent(answer));
    return readAnthropicAnswer(answer, model, at);
  }

  embed({ model }: EmbeddingRequest): Promise<never> {
    return Promise.reject(cannot(model, 'make vectors'));
  }

  generateImage({ model }: ImageRequest): Promise<never> {
    return Promise.reject(cannot(model, 'make pictures'));
  }
}

function toAnthropicTool({ function: { name, description, parameters } }: ToolSchema) {
  return { name, description, input_schema: parameters };
}

/** Parameters in this protocol's names; those that stand for all requests are translated once. */
function translateOnce(): (parameters: Parameters) => Parameters {
  let last: { readonly from: Parameters; readonly to: Parameters } | undefined;
  return (from) => {
    if (last?.from !== from) last = { from, to: translate(from) };
    return last.to;
  };
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
