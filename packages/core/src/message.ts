import { type Fields, isFields } from './json-fields.ts';

/** A tool call that a model asks for; `arguments` is JSON text exactly as the model wrote it. */
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

/** One message of a conversation in a request; `Message` is its stored form. */
export interface ChatMessage {
  /** Who wrote the message. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** The text, or the parts of a message that is more than text; null if it has tool calls only. */
  readonly content: string | readonly ContentPart[] | null;
  /** The model's reasoning. */
  readonly reasoning_content?: string;
  /** The tool calls of an assistant message. */
  readonly tool_calls?: readonly ToolCall[];
  /** In a tool message: the id of the call that it answers. */
  readonly tool_call_id?: string;
}

/** One message before the next request. */
export interface HistoryMessage extends ChatMessage {
  /** The further fields of an answer with its provider and model, as JSON text; they go back to these only. */
  readonly extra?: string;
}

/** A tool as requests describe it, in the OpenAI function shape. */
export interface ToolSchema {
  /** Always `function`. */
  readonly type: 'function';
  /** The name for calls, the description, and the JSON Schema of the arguments. */
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
  /**
   * The parameters to send if model APIs do not accept `parameters` as they are, or why the tool is not offered at all.
   * Not a field of requests.
   */
  readonly sent?: { readonly parameters: Readonly<Record<string, unknown>> } | { readonly dropped: string };
  /** The provider's prefix for the name in requests. Not a field of requests. */
  readonly prefix?: string;
}

/** Whether text is nothing but white space and characters of no width. */
export function isBlank(text: string): boolean {
  return !/[^\s\u200B-\u200D\u2060\uFEFF]/.test(text);
}

/** Whether a value is a list of messages: each of them has a role. */
export function isMessages(value: unknown): value is readonly Fields[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((one) => isFields(one) && typeof one['role'] === 'string')
  );
}
