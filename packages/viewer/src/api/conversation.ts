import type { CutText, Media } from './cells.ts';

/** A page of a conversation. */
export interface TracePage {
  readonly column: string;
  readonly total: number;
  readonly from: number;
  readonly messages: readonly Message[];
}

/** A message; its texts are cut at 20,000 characters, and `text` returns the rest. */
export interface Message {
  /** Its number in the conversation. */
  readonly number: number;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: CutText | null;
  readonly reasoning: CutText | null;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: CutText }[];
  readonly toolCallId: string | null;
  readonly media: readonly Media[];
  readonly model: string | null;
  readonly finishReason: string | null;
  readonly usage: {
    readonly inputTokens: number | null;
    readonly cachedInputTokens: number | null;
    readonly outputTokens: number | null;
    readonly reasoningTokens: number | null;
    readonly cost: number | null;
  } | null;
}

/** A text of a message: the content, the reasoning, or the arguments of a tool call by its number. */
export type MessagePart = 'content' | 'reasoning' | number;

/** A part of a text; nested data as indented JSON. */
export interface TextPage {
  readonly text: string;
  readonly from: number;
  /** The characters of the whole text. */
  readonly length: number;
}
