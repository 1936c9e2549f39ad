import type { ChatMessage, ToolCall } from '@data-designer/core';
import type { ToolOutcome } from './prepare-call.ts';
import { readToolResult } from './tool-result.ts';

/** The tool message for an outcome; every failure reads `Error: Tool '<name>' failed: <reason>`. */
export function finishCall(call: ToolCall, outcome: ToolOutcome): ChatMessage {
  return { role: 'tool', content: contentOf(call.function.name, outcome), tool_call_id: call.id };
}

function contentOf(name: string, outcome: ToolOutcome): NonNullable<ChatMessage['content']> {
  if (outcome.kind === 'failed') return failure(name, outcome.reason);
  const read = readToolResult(outcome.body);
  return read.failed ? failure(name, read.reason) : read.content;
}

function failure(name: string, reason: string): string {
  return `Error: Tool '${name}' failed: ${reason}`;
}
