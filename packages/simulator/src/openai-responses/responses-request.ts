/** A part of a message or of a tool's output. */
export interface Part {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: unknown;
}

/** An item of a conversation; which members it has depends on its type. */
export interface Item {
  readonly type?: 'message' | 'reasoning' | 'function_call' | 'function_call_output';
  readonly id?: string;
  readonly role?: 'system' | 'developer' | 'user' | 'assistant';
  readonly content?: string | readonly Part[];
  readonly encrypted_content?: string | null;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly output?: string | readonly Part[];
}

/** A function as a request offers it. */
interface FunctionTool {
  readonly type: 'function';
  readonly name: string;
  readonly description?: string;
  readonly parameters?: unknown;
}

/** The body of a Responses request, once checked; fields that change nothing here are left out. */
export interface ResponsesRequest {
  readonly model: string;
  readonly input: string | readonly Item[];
  readonly instructions?: string | null;
  readonly tools?: readonly FunctionTool[] | null;
  readonly tool_choice?: 'none' | 'auto' | 'required' | { readonly type: 'function'; readonly name: string } | null;
  readonly max_output_tokens?: number | null;
  readonly reasoning?: { readonly effort?: string | null; readonly summary?: string | null } | null;
  readonly include?: readonly string[] | null;
  readonly text?: {
    readonly format?:
      | { readonly type: 'text' | 'json_object' }
      | { readonly type: 'json_schema'; readonly name: string; readonly schema: unknown; readonly strict?: boolean };
  } | null;
}

/** The items of a request; text alone is one of them. */
export function itemsOf(input: ResponsesRequest['input']): readonly Item[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input;
}

/** Whether the model is to reason. */
export function reasons({ reasoning }: ResponsesRequest): boolean {
  return reasoning !== undefined && reasoning !== null && reasoning.effort !== 'none';
}
