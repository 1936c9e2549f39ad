import {
  type Address,
  type ChatMessage,
  type ContentPart,
  DataDesignerError,
  type Gateway,
  type ToolCall,
} from '@data-designer/core';
import { APIError } from 'openai';
import type { ChatAnswer, ChatRequest, ModelClient, TokenCounts } from '../../model-client.ts';
import { causeOf, GatewayOpenAI } from './gateway-openai.ts';

/** The parts of a chat completion that are read; endpoints leave out what they like. */
interface Completion {
  readonly choices?: readonly {
    readonly message?: {
      readonly content?: string | readonly { readonly text?: string }[] | null;
      readonly reasoning?: string | null;
      readonly reasoning_content?: string | null;
      readonly tool_calls?: readonly WireToolCall[] | null;
    };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: {
    readonly prompt_tokens?: number;
    readonly completion_tokens?: number;
    readonly completion_tokens_details?: { readonly reasoning_tokens?: number } | null;
  } | null;
}

interface WireToolCall {
  readonly id?: string | null;
  readonly function?: { readonly name?: string; readonly arguments?: unknown };
}

/** Chat over any OpenAI-compatible endpoint, through the gateway's resource `resource`. */
export class OpenAIClient implements ModelClient {
  readonly #client: GatewayOpenAI;
  readonly #resource: string;

  constructor(gateway: Gateway, resource: string) {
    this.#client = new GatewayOpenAI(gateway);
    this.#resource = resource;
  }

  async chat(request: ChatRequest, at: Address): Promise<ChatAnswer> {
    const { model, messages, tools, parameters, timeoutMs } = request;
    const body = { model, messages: messages.map(toWire), ...(tools ? { tools } : {}), ...parameters };
    try {
      const target = { resource: this.#resource, timeoutMs, ...at };
      return readCompletion(await this.#client.ask('chat/completions', body, target), model, at);
    } catch (thrown) {
      throw failureOf(thrown, model);
    }
  }
}

/** Our name for what the client threw. */
function failureOf(thrown: unknown, model: string): DataDesignerError {
  const known = causeOf(thrown);
  if (known) return known;
  if (thrown instanceof SyntaxError) {
    return new DataDesignerError(
      'model/bad-answer',
      { model, reason: 'its body is not valid JSON' },
      { cause: thrown },
    );
  }
  if (!(thrown instanceof APIError) || thrown.status === undefined) return DataDesignerError.fromUnknown(thrown);
  const { status } = thrown;
  const reason = thrown.message.slice(0, 500);
  // A key or an account that is refused for one row is refused for all.
  if (status === 401 || status === 402 || status === 403) {
    return new DataDesignerError('model/unauthorized', { model, status, reason });
  }
  if (status === 429) return new DataDesignerError('model/rate-limited', { model });
  if (status >= 500) return new DataDesignerError('model/server-error', { model, status, reason });
  return new DataDesignerError('model/rejected', { model, status, reason });
}

/** Text goes as it is; parts are translated to the shapes of the chat wire. */
function toWire(message: ChatMessage): unknown {
  if (!Array.isArray(message.content)) return message;
  return { ...message, content: (message.content as readonly ContentPart[]).map((part) => PARTS[part.type](part)) };
}

/** How each kind of part is written (as in NeMo Data Designer). */
const PARTS: Readonly<Record<ContentPart['type'], (part: ContentPart) => unknown>> = {
  text: ({ text }) => ({ type: 'text', text }),
  image: ({ url }) => ({ type: 'image_url', image_url: { url } }),
  audio: ({ url }) => ({ type: 'audio_url', audio_url: { url } }),
  video: ({ url }) => ({ type: 'video_url', video_url: { url } }),
};

function readCompletion(body: unknown, model: string, at: Address): ChatAnswer {
  const bad = (reason: string) => new DataDesignerError('model/bad-answer', { model, reason });
  if (typeof body !== 'object' || body === null) throw bad('it is not a JSON object (is the endpoint a chat API?)');
  const { choices, usage } = body as Completion;
  const choice = choices?.[0];
  if (!choice?.message) throw bad('it holds no choices');
  return {
    message: readMessage(choice.message, at),
    finishReason: choice.finish_reason ?? null,
    tokens: readTokens(usage),
  };
}

type WireMessage = NonNullable<NonNullable<Completion['choices']>[number]['message']>;

function readMessage(message: WireMessage, at: Address): ChatMessage {
  const { content, tool_calls: calls } = message;
  const text = Array.isArray(content) ? content.map((part) => part.text ?? '').join('\n') : (content as string | null);
  const reasoning = message.reasoning ?? message.reasoning_content ?? '';
  return {
    role: 'assistant',
    content: text ?? null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls && calls.length > 0 ? { tool_calls: calls.map((call, index) => readToolCall(call, index, at)) } : {}),
  };
}

/** A call without an id gets one made of its address, so that a replay makes the same one. */
function readToolCall(call: WireToolCall, index: number, at: Address): ToolCall {
  const given = call.function?.arguments;
  return {
    id: call.id || `call_${at.row}_${at.call}_${index}`,
    type: 'function',
    function: {
      name: call.function?.name ?? '',
      arguments: typeof given === 'string' ? given : given == null ? '' : JSON.stringify(given),
    },
  };
}

function readTokens(usage: Completion['usage']): TokenCounts {
  return {
    inputTokens: usage?.prompt_tokens ?? null,
    outputTokens: usage?.completion_tokens ?? null,
    reasoningTokens: usage?.completion_tokens_details?.reasoning_tokens ?? null,
  };
}
