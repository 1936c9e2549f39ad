import { type Address, type CallPath, DataDesignerError, type Gateway, limitsOf } from '@data-designer/core';
import type {
  ChatAnswer,
  ChatRequest,
  EmbeddingAnswer,
  EmbeddingRequest,
  ImageAnswer,
  ImageRequest,
  Meter,
  ModelClient,
} from '../../model-client.ts';
import { contentOf } from '../../opening.ts';
import { GatewayOpenAI } from './gateway-openai.ts';
import { readTokens } from '../../answers/read-tokens.ts';
import { readCompletion } from './read-completion.ts';
import { countBeside, countGenerated, countPainted, readGenerated, readPainted } from './read-pictures.ts';
import { readVectors } from './read-vectors.ts';
import { toOpenAIMessages } from './to-openai-messages.ts';

/** Models of these names make pictures by a route of their own, without a conversation (as in NeMo Data Designer). */
const PAINTERS = ['dall-e-', 'dalle', 'stable-diffusion', 'sd-', 'sd_', 'imagen', 'gpt-image-'];

/** Any OpenAI-compatible endpoint, through the gateway's resource `resource`. */
export class OpenAIClient implements ModelClient {
  readonly #client: GatewayOpenAI;
  readonly #resource: string;

  constructor(gateway: Gateway, resource: string) {
    this.#client = new GatewayOpenAI(gateway);
    this.#resource = resource;
  }

  async chat(request: ChatRequest, at: Address, meter?: Meter): Promise<ChatAnswer> {
    const { model, messages, tools, shape, parameters } = request;
    const body = {
      model,
      messages: toOpenAIMessages(messages),
      ...(tools ? { tools } : {}),
      ...(shape ? { response_format: shape.responseFormat } : {}),
      ...withoutChoices(parameters),
    };
    const answer = await this.#ask({ path: 'chat/completions', body, request, picturesIn: countBeside }, at, meter);
    return readCompletion(answer, model, at);
  }

  async embed(request: EmbeddingRequest, at: Address, meter?: Meter): Promise<EmbeddingAnswer> {
    const { model, texts, parameters } = request;
    const body = { model, input: texts, ...parameters };
    const answer = await this.#ask({ path: 'embeddings', body, request, picturesIn: () => 0 }, at, meter);
    return { vectors: readVectors(answer, texts.length, model) };
  }

  async generateImage(request: ImageRequest, at: Address, meter?: Meter): Promise<ImageAnswer> {
    const { model, prompt, media, parameters } = request;
    const name = model.toLowerCase();
    if (PAINTERS.some((part) => name.includes(part))) {
      const body = { model, prompt, ...parameters };
      const asked = { path: 'images/generations', body, request, picturesIn: countGenerated } as const;
      return readGenerated(await this.#ask(asked, at, meter), model);
    }
    const messages = toOpenAIMessages([{ role: 'user', content: contentOf(media, prompt) }]);
    const body = { model, messages, ...withoutChoices(parameters) };
    const asked = { path: 'chat/completions', body, request, picturesIn: countPainted } as const;
    return readPainted(await this.#ask(asked, at, meter), model);
  }

  async #ask(asked: AskedBody, at: Address, meter: Meter | undefined): Promise<unknown> {
    const { path, body, request, picturesIn } = asked;
    const target = { resource: this.#resource, model: request.model, ...limitsOf(request), at, meter };
    try {
      const answer = await this.#client.ask(path, body, target);
      const usage = (answer as { readonly usage?: unknown } | null)?.usage;
      meter?.onSpent({ tokens: readTokens(usage), pictures: picturesIn(answer) });
      return answer;
    } catch (thrown) {
      throw DataDesignerError.fromUnknown(thrown);
    }
  }
}

/** One request as it is sent, and how many pictures its answer gives. */
interface AskedBody {
  readonly path: CallPath;
  readonly body: unknown;
  readonly request: ChatRequest | EmbeddingRequest | ImageRequest;
  readonly picturesIn: (answer: unknown) => number;
}

/** A chat takes one answer at a time: several choices are never wanted (as in NeMo Data Designer). */
function withoutChoices(parameters: ChatRequest['parameters']): ChatRequest['parameters'] {
  if (!('n' in parameters)) return parameters;
  const { n: _, ...others } = parameters;
  return others;
}
