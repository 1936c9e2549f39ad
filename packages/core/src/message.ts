import { type ArrowType, field } from './arrow-type.ts';
import type { CellValue } from './value.ts';

/** A model's wish to have a tool called; `arguments` is JSON text exactly as the model wrote it. */
export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** One part of a message that is more than text; `url` may be a `data:` address. */
export interface ContentPart {
  readonly type: 'text' | 'image' | 'audio' | 'video';
  readonly text?: string;
  readonly media_type?: string;
  readonly url?: string;
}

/** One message of a conversation, in the names that traces and the OpenAI wire share. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly ContentPart[] | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
}

/** What a model is told about a tool, in the OpenAI function shape. */
export interface ToolSchema {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
  /**
   * What models are sent in place of `parameters`, where model APIs do not accept these as they are; or why they are not
   * told of the tool at all. It never stands in a request.
   */
  readonly sent?: { readonly parameters: Readonly<Record<string, unknown>> } | { readonly dropped: string };
  /** What stands before the name where models are told it, as the provider declares. It never stands in a request by itself. */
  readonly prefix?: string;
}

/** The Arrow type of one trace message: no unions, so that every reader opens it. */
export const TRACE_MESSAGE = {
  struct: [
    field('role', 'utf8', { nullable: false }),
    field('content', 'utf8'),
    field('reasoning_content', 'utf8'),
    field('tool_calls', {
      list: {
        struct: [
          field('id', 'utf8'),
          field('type', 'utf8'),
          field('function', { struct: [field('name', 'utf8'), field('arguments', 'utf8')] }),
        ],
      },
    }),
    field('tool_call_id', 'utf8'),
    field('content_parts', {
      list: {
        struct: [field('type', 'utf8'), field('text', 'utf8'), field('media_type', 'utf8'), field('url', 'utf8')],
      },
    }),
  ],
} as const satisfies ArrowType;

/** Lays a conversation out as a trace cell: content of several parts moves to `content_parts`, with `content` null. */
export function traceOf(messages: readonly ChatMessage[]): CellValue {
  const rows = messages.map((message) =>
    Array.isArray(message.content) ? { ...message, content: null, content_parts: message.content } : message,
  );
  return rows as unknown as CellValue;
}
