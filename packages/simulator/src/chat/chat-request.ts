import type { ToolCall } from '@data-designer/core';

/** A part of a message; only text is read. */
interface MessagePart {
  readonly type: string;
  readonly text?: string;
}

/** A message of a request. */
export interface RequestMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  readonly content?: string | readonly MessagePart[] | null;
  readonly tool_calls?: readonly ToolCall[] | null;
  readonly tool_call_id?: string;
}

/** A tool as the request offers it. */
export interface OfferedTool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: unknown };
}

/** Which tools the model may or must call. */
type ToolChoice = 'none' | 'auto' | 'required' | { readonly function: { readonly name: string } };

/** The form an answer must have. */
type ResponseFormat =
  | { readonly type: 'text' | 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly json_schema: { readonly name: string; readonly schema: unknown; readonly strict?: boolean };
    };

/** The body of a chat request, once checked; fields that change nothing here are left out. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly RequestMessage[];
  readonly tools?: readonly OfferedTool[] | null | undefined;
  readonly tool_choice?: ToolChoice | null | undefined;
  readonly response_format?: ResponseFormat | null;
  readonly modalities?: readonly string[] | null;
  readonly max_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
}

/** The text of a message: its string, or its text parts joined. */
export function textOf({ content }: RequestMessage): string {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) return '';
  return content.map((part) => part.text ?? '').join('\n');
}
