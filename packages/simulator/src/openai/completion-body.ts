import type { ToolCall } from '@data-designer/core';
import type { Answer } from '../chat/turn.ts';
import type { Tokens } from '../ledger.ts';

/** Always the same moment, so that the same request gets the same bytes. */
export const CREATED = 1_767_225_600;

/** An answer with what the protocol says around it. */
export interface Completion {
  readonly hash: string;
  readonly model: string;
  readonly answer: Answer;
  readonly tokens: Tokens;
  /** Pictures beside the text, in Base64. */
  readonly pictures?: readonly string[];
}

/** A chat completion as it is sent. */
export interface ChatCompletion {
  readonly id: string;
  readonly object: 'chat.completion';
  readonly created: number;
  readonly model: string;
  readonly choices: readonly [ChatChoice];
  readonly usage: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly total_tokens: number;
    readonly prompt_tokens_details: { readonly cached_tokens: number };
    readonly completion_tokens_details: { readonly reasoning_tokens: number };
  };
}

interface ChatChoice {
  readonly index: 0;
  readonly message: {
    readonly role: 'assistant';
    readonly content: string | null;
    readonly reasoning_content?: string;
    readonly tool_calls?: readonly ToolCall[];
    readonly images?: readonly { readonly type: 'image_url'; readonly image_url: { readonly url: string } }[];
  };
  readonly finish_reason: Answer['finishReason'];
}

/** The JSON body of a chat completion. */
export function completionBody({ hash, model, answer, tokens, pictures = [] }: Completion): string {
  const { content, reasoning, toolCalls, finishReason } = answer;
  const images = pictures.map((base64) => ({
    type: 'image_url' as const,
    image_url: { url: `data:image/png;base64,${base64}` },
  }));
  const message = {
    role: 'assistant' as const,
    content,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    ...(images.length === 0 ? {} : { images }),
  };
  const completion: ChatCompletion = {
    id: `chatcmpl-${hash.slice(0, 24)}`,
    object: 'chat.completion',
    created: CREATED,
    model,
    choices: [{ index: 0, message, finish_reason: finishReason }],
    usage: usageOf(tokens),
  };
  return JSON.stringify(completion);
}

function usageOf({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: Tokens): ChatCompletion['usage'] {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
