import type { Answer } from './turn.ts';
import { textOf, type ChatRequest } from './chat-request.ts';

/** UTF-16 units of text that count as one token: an estimate that needs no tokeniser. */
export const UNITS_PER_TOKEN = 4;
const PER_MESSAGE = 4;
const PER_TOOL = 16;

/** The estimated tokens of what a request says: its messages, calls and offered tools. */
export function promptTokensOf({ messages, tools }: ChatRequest): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += PER_MESSAGE + tokensOf(textOf(message));
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

function tokensOf(text: string): number {
  return Math.ceil(text.length / UNITS_PER_TOKEN);
}
