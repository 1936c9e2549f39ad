import type { ContentPart, ToolCall } from '@data-designer/core';
import { pluralize } from '../../printing/format-numbers.ts';

/** A message of a conversation that was kept, as it stands in a row. */
interface StoredMessage {
  readonly role: string;
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly content_parts?: readonly ContentPart[] | null;
  readonly tool_calls?: readonly ToolCall[] | null;
}

/** One thing that somebody said in a conversation. */
export interface Turn {
  readonly by: 'system' | 'user' | 'reasoning' | 'tool call' | 'tool result' | 'assistant';
  /** What stands above it: who it is by, and for a tool call its number and the tool. */
  readonly label: string;
  readonly text: string;
}

const SPEAKERS: Readonly<Record<string, Turn['by']>> = { system: 'system', user: 'user', tool: 'tool result' };

/** A conversation turn by turn, and how many tools were called in it; what is no message is left out. */
export function turnsOf(kept: readonly (StoredMessage | null)[]): {
  readonly turns: readonly Turn[];
  readonly summary: string;
} {
  const turns: Turn[] = [];
  let calls = 0;
  let callTurns = 0;
  for (const message of kept.filter((one) => typeof one === 'object' && one !== null)) {
    const { role, reasoning_content: reasoning, tool_calls: called } = message;
    if (reasoning) turns.push({ by: 'reasoning', label: 'reasoning', text: reasoning });
    const by = SPEAKERS[role] ?? 'assistant';
    const text = textOf(message);
    if (text !== '' || !called?.length) turns.push({ by, label: by, text });
    if (called?.length) callTurns++;
    for (const { function: asked } of called ?? []) {
      turns.push({ by: 'tool call', label: `tool call #${++calls} -> ${asked.name}`, text: indented(asked.arguments) });
    }
  }
  return { turns, summary: `${pluralize(calls, 'tool call')} in ${pluralize(callTurns, 'turn')}` };
}

function textOf({ content, content_parts: parts }: StoredMessage): string {
  if (!parts?.length) return content ?? '';
  return parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

/** Arguments as a model wrote them, on lines of their own where they are JSON. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
