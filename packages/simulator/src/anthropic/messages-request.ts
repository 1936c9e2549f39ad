/** A block of content. */
export interface Block {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: string | readonly Block[];
  readonly source?: unknown;
}

/** A message of a request. */
export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly Block[];
}

/** The body of a Messages request, once checked; fields that change nothing here are left out. */
export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly Message[];
  readonly system?: string | readonly Block[];
  readonly tools?: readonly { readonly name: string; readonly description?: string; readonly input_schema: unknown }[];
  readonly tool_choice?: { readonly type: 'auto' | 'any' | 'tool' | 'none'; readonly name?: string };
  readonly thinking?: { readonly type: 'enabled' | 'disabled'; readonly budget_tokens?: number };
}

/** The blocks of a message; text alone is one of them. */
export function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
