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

/** The role of a trace message; throws a `RolloutFault` for unknown roles. */
export function roleOf(role: unknown, where: string): ChatMessage['role'] {
  const known = typeof role === 'string' && Object.hasOwn(ROLES, role) ? ROLES[role] : undefined;
  if (known) return known;
  throw new RolloutFault(`${where} has no known role`);
}

/** The parts of a message besides its content. */
export interface MessageParts {
  readonly reasoning?: string | null;
  readonly calls?: readonly ToolCall[];
  /** The id of the call that it answers. */
  readonly callId?: string;
}

/** A trace message from the content of a recording. */
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

/** A tool call of a trace; arguments other than text become JSON with sorted keys. */
export function toToolCall(id: string, name: string, input: unknown): ToolCall {
  const text = typeof input === 'string' ? input : stringifyJson(sortKeys(input ?? {}));
  return { id, type: 'function', function: { name, arguments: text } };
}
