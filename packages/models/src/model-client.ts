import type { Address, ChatMessage, ToolSchema } from '@data-designer/core';

/** One request to a chat model, as the conversation sees it. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  /** Sampling parameters under their wire names, `extra_body` merged in. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly tools?: readonly ToolSchema[] | undefined;
  readonly timeoutMs: number;
}

/** Tokens of one answer; null where the endpoint does not say. */
export interface TokenCounts {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly reasoningTokens: number | null;
}

/** One answer of a chat model. */
export interface ChatAnswer {
  readonly message: ChatMessage;
  readonly finishReason: string | null;
  readonly tokens: TokenCounts;
}

/** The seam to the wire: one implementation per protocol, each built on `Gateway.call`. */
export interface ModelClient {
  /** Throws `model/*` failures only. */
  chat(request: ChatRequest, at: Address): Promise<ChatAnswer>;
}
