import {
  fieldsOf,
  isFields,
  itemsOf,
  MESSAGE_ROLES,
  readStoredCall,
  splitThinking,
  type StoredCall,
  stringOf,
  tryParse,
} from '@data-designer/core';

/** One message in the form that checks read. */
export interface TrajectoryMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** The text, without the reasoning at its start; empty if there is none. */
  readonly text: string;
  /** Whether it has an image, a sound or a video. */
  readonly hasMedia: boolean;
  /** An id is null in data whose results follow their calls in order. */
  readonly calls: readonly StoredCall[];
  /** In a tool message: the id of the call that it answers; null if it has none. */
  readonly callId: string | null;
  readonly finishReason: string | null;
}

/** Older data have results of functions, which no model API takes. */
const ROLES: typeof MESSAGE_ROLES = { ...MESSAGE_ROLES, function: 'tool' };

/** The messages of a trace, a conversation or the JSON text of one; undefined for another value. */
export function readMessages(value: unknown): readonly TrajectoryMessage[] | undefined {
  const list = typeof value === 'string' && /^\s*\[/.test(value) ? tryParse<unknown>(value, JSON.parse) : value;
  if (!Array.isArray(list)) return undefined;
  const messages: TrajectoryMessage[] = [];
  for (const item of list) {
    const message = isFields(item) ? readMessage(item) : undefined;
    if (message === undefined) return undefined;
    messages.push(message);
  }
  return messages;
}

const NO_CALLS: readonly StoredCall[] = [];

function readMessage(fields: Readonly<Record<string, unknown>>): TrajectoryMessage | undefined {
  const name = fields['role'];
  const role = typeof name === 'string' && Object.hasOwn(ROLES, name) ? ROLES[name] : undefined;
  if (role === undefined) return undefined;
  const { content, content_parts: parts, tool_calls: calls, tool_call_id: callId, finish_reason: finish } = fields;
  const list = itemsOf(Array.isArray(content) ? content : parts);
  const written = typeof content === 'string' ? content : textOfParts(list);
  return {
    role,
    text: role === 'assistant' ? splitThinking(written).answer : written,
    hasMedia: list.some((part) => fieldsOf(part)['type'] !== 'text'),
    calls: Array.isArray(calls) && calls.length > 0 ? calls.map(readStoredCall) : NO_CALLS,
    callId: stringOf(callId),
    finishReason: stringOf(finish),
  };
}

function textOfParts(parts: readonly unknown[]): string {
  return parts.length === 0 ? '' : parts.map((part) => stringOf(fieldsOf(part)['text']) ?? '').join('');
}
