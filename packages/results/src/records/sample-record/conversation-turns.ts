import type { ContentPart, ToolCall } from '@data-designer/core';
import { pluralize } from '@data-designer/printing';

/** A trace message as a row stores it. */
interface StoredMessage {
  readonly role: string;
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly content_parts?: readonly ContentPart[] | null;
  readonly tool_calls?: readonly ToolCall[] | null;
}

/** One turn of a shown conversation. */
export interface Turn {
  readonly by: 'system' | 'user' | 'reasoning' | 'tool call' | 'tool result' | 'assistant';
  /** The heading: the speaker, or the number and tool of a tool call. */
  readonly label: string;
  readonly text: string;
}

const SPEAKERS: Readonly<Record<string, Turn['by']>> = { system: 'system', user: 'user', tool: 'tool result' };

/** The turns of a trace with a summary of its tool calls; values that are not messages are left out. */
export function turnsOf(trace: readonly (StoredMessage | null)[]): {
  readonly turns: readonly Turn[];
  readonly summary: string;
} {
  const turns: Turn[] = [];
  let calls = 0;
  let callTurns = 0;
  for (const message of trace.filter((one) => typeof one === 'object' && one !== null)) {
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

/** The arguments as the model wrote them, indented if they are JSON. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
