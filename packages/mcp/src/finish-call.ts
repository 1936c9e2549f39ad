import type { ChatMessage, ToolCall } from '@data-designer/core';
import type { ToolOutcome } from './prepare-call.ts';
import { readToolResult } from './tool-result.ts';

/** The end of a tool call: what the model is shown, and whether it is an error. */
export interface FinishedCall {
  readonly message: ChatMessage;
  readonly failed: boolean;
}

/** The tool message for an outcome; every failure reads `Error: Tool '<name>' failed: <reason>`. */
export function finishCall(call: ToolCall, outcome: ToolOutcome): FinishedCall {
  const { name } = call.function;
  const read =
    outcome.kind === 'failed' ? { failed: true as const, reason: outcome.reason } : readToolResult(outcome.body);
  const content = read.failed ? `Error: Tool '${name}' failed: ${read.reason}` : read.content;
  return { message: { role: 'tool', content, tool_call_id: call.id }, failed: read.failed };
}
