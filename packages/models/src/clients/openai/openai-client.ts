import { type Address, DataDesignerError, type Gateway } from '@data-designer/core';
import type {
  ChatAnswer,
  ChatRequest,
  EmbeddingAnswer,
  EmbeddingRequest,
  ImageAnswer,
  ImageRequest,
  ModelClient,
  OnOutcome,
} from '../../model-client.ts';
import { contentOf } from '../../opening.ts';
import { GatewayOpenAI } from './gateway-openai.ts';
import { readCompletion, readTokens } from './read-completion.ts';
import { readGenerated, readPainted } from './read-pictures.ts';
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

  async chat(request: ChatRequest, at: Address, onOutcome?: OnOutcome): Promise<ChatAnswer> {
    const { model, messages, tools, shape, parameters } = request;
    const body = {
      model,
      messages: toOpenAIMessages(messages),
      ...(tools ? { tools } : {}),
      ...(shape ? { response_format: shape.responseFormat } : {}),
      ...parameters,
    };
    return readCompletion(await this.#ask('chat/completions', body, { request, at, onOutcome }), model, at);
  }

  async embed(request: EmbeddingRequest, at: Address, onOutcome?: OnOutcome): Promise<EmbeddingAnswer> {
    const { model, texts, parameters } = request;
    const body = { model, input: texts, ...parameters };
    const answer = await this.#ask('embeddings', body, { request, at, onOutcome });
    const vectors = readVectors(answer, texts.length, model);
    return { vectors, tokens: readTokens((answer as { readonly usage?: object }).usage) };
  }

  async paint(request: ImageRequest, at: Address, onOutcome?: OnOutcome): Promise<ImageAnswer> {
    const { model, prompt, media, parameters } = request;
    const name = model.toLowerCase();
    if (PAINTERS.some((part) => name.includes(part))) {
      const body = { model, prompt, ...parameters };
      return readGenerated(await this.#ask('images/generations', body, { request, at, onOutcome }), model);
    }
    const content = contentOf(media, prompt);
    const body = { model, messages: toOpenAIMessages([{ role: 'user', content }]), ...parameters };
    return readPainted(await this.#ask('chat/completions', body, { request, at, onOutcome }), model);
  }

  async #ask(
    path: 'chat/completions' | 'embeddings' | 'images/generations',
    body: unknown,
    { request, at, onOutcome }: { request: AnyRequest; at: Address; onOutcome: OnOutcome | undefined },
  ): Promise<unknown> {
    const { model, timeoutMs } = request;
    try {
      return await this.#client.ask(path, body, { resource: this.#resource, model, timeoutMs, at, onOutcome });
    } catch (thrown) {
      if (thrown instanceof SyntaxError) {
        const reason = 'its body is not valid JSON';
        throw new DataDesignerError('model/bad-answer', { model, reason }, { cause: thrown });
      }
      throw DataDesignerError.fromUnknown(thrown);
    }
  }
}

type AnyRequest = ChatRequest | EmbeddingRequest | ImageRequest;
