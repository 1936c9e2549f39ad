/** One message of a `{name}__trace` cell as records show it: what a message does not have is null. */
export interface TraceMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  /** The text; null where the message has several parts, or only tool calls. */
  content: string | null;
  reasoning_content: string | null;
  tool_calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] | null;
  tool_call_id: string | null;
  content_parts: TraceContentPart[] | null;
}

/** One part of a message that is more than text. */
export interface TraceContentPart {
  type: 'text' | 'image' | 'audio' | 'video';
  text: string | null;
  media_type: string | null;
  url: string | null;
}
