import type { Tokens } from '../ledger.ts';
import type { Answer } from './turn.ts';
import { type ChatRequest, textOf, type RequestMessage } from './chat-request.ts';

/** UTF-16 units of text that count as one token: an estimate that needs no tokeniser. */
export const UNITS_PER_TOKEN = 4;
const PER_MESSAGE = 4;
const PER_TOOL = 16;
const PER_PICTURE = 64;

/** What a turn takes, estimated; what stands before the last answer was read before, and counts as cached. */
export function tokensOfTurn(request: ChatRequest, said: Answer): Tokens {
  const last = request.messages.findLastIndex(({ role }) => role === 'assistant');
  const before = { ...request, messages: request.messages.slice(0, Math.max(last, 0)) };
  return {
    promptTokens: promptTokensOf(request),
    cachedTokens: last === -1 ? 0 : promptTokensOf(before),
    completionTokens: completionTokensOf(said),
    reasoningTokens: tokensOf(said.reasoning ?? ''),
    pictures: 0,
  };
}

/** The estimated tokens of what a request says: its messages, calls and offered tools. */
function promptTokensOf({ messages, tools }: ChatRequest): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += PER_MESSAGE + tokensOf(textOf(message)) + PER_PICTURE * picturesIn(message);
    for (const call of message.tool_calls ?? []) tokens += tokensOf(call.function.name + call.function.arguments);
  }
  for (const tool of tools ?? []) tokens += PER_TOOL + tokensOf(tool.function.name + (tool.function.description ?? ''));
  return tokens;
}

/** The estimated tokens of an answer: its content, reasoning and tool calls. */
export function completionTokensOf({ content, reasoning, toolCalls }: Answer): number {
  let tokens = tokensOf(content ?? '') + tokensOf(reasoning ?? '');
  for (const call of toolCalls) tokens += tokensOf(call.function.name + call.function.arguments);
  return tokens;
}

function picturesIn({ content }: RequestMessage): number {
  return Array.isArray(content) ? content.filter(({ type }: { readonly type: string }) => type !== 'text').length : 0;
}

/** The estimated tokens of a text. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / UNITS_PER_TOKEN);
}
