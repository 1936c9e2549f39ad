import type { ToolCall } from '@data-designer/core';
import type { Answer } from '../chat/turn.ts';

/** Always the same moment, so that the same request gets the same bytes. */
const CREATED = 1_767_225_600;

/** An answer with what the wire format says around it. */
export interface Completion {
  readonly hash: string;
  readonly model: string;
  readonly answer: Answer;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** A chat completion as it goes over the wire. */
export interface WireCompletion {
  readonly id: string;
  readonly object: 'chat.completion';
  readonly created: number;
  readonly model: string;
  readonly choices: readonly [WireChoice];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number };
}

interface WireChoice {
  readonly index: 0;
  readonly message: {
    readonly role: 'assistant';
    readonly content: string | null;
    readonly reasoning_content?: string;
    readonly tool_calls?: readonly ToolCall[];
  };
  readonly finish_reason: Answer['finishReason'];
}

/** The JSON body of a chat completion. */
export function completionBody({ hash, model, answer, promptTokens, completionTokens }: Completion): string {
  const { content, reasoning, toolCalls, finishReason } = answer;
  const message = {
    role: 'assistant' as const,
    content,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
  const completion: WireCompletion = {
    id: `chatcmpl-${hash.slice(0, 24)}`,
    object: 'chat.completion',
    created: CREATED,
    model,
    choices: [{ index: 0, message, finish_reason: finishReason }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  };
  return JSON.stringify(completion);
}
