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

/** One message of a conversation as a request holds it; what is stored of it is a `TraceMessage`. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly ContentPart[] | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
}

/** A tool as requests describe it, in the OpenAI function shape. */
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
