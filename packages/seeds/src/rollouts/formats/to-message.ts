import { type ChatMessage, stringifyJson, type ToolCall } from '@data-designer/core';
import { sortKeys } from '@data-designer/dataset';
import { contentOf } from './content-parts.ts';
import { RolloutFault } from '../rollout.ts';

const ROLES: Readonly<Record<string, ChatMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
};

/** The role of a message as traces have it; throws a `RolloutFault` for one that they do not know. */
export function roleOf(role: unknown, place: string): ChatMessage['role'] {
  const known = typeof role === 'string' && Object.hasOwn(ROLES, role) ? ROLES[role] : undefined;
  if (known) return known;
  throw new RolloutFault(`${place} has no role that is known`);
}

/** What a message has beside its content. */
export interface MessageParts {
  readonly reasoning?: string | null;
  readonly calls?: readonly ToolCall[];
  /** The call that it answers. */
  readonly callId?: string;
}

/** A message as traces have it, of content of any of the kinds that recordings have. */
export function toMessage(
  role: ChatMessage['role'],
  content: unknown,
  { reasoning = null, calls = [], callId }: MessageParts = {},
): ChatMessage {
  return {
    role,
    content: contentOf(content),
    ...(reasoning === null || reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(callId === undefined ? {} : { tool_call_id: callId }),
  };
}

/** A call as traces have it; arguments that are no text become JSON with their keys in order. */
export function toToolCall(id: string, name: string, input: unknown): ToolCall {
  const text = typeof input === 'string' ? input : stringifyJson(sortKeys(input ?? {}));
  return { id, type: 'function', function: { name, arguments: text } };
}
