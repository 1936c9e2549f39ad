import type { Mapping } from '@data-designer/config';
import { isNestedTooDeeply, stringifyJson, traceCell } from '@data-designer/core';

import { textOfContent } from './formats/content-parts.ts';
import { type Rollout, RolloutFault, type RolloutSource } from './rollout.ts';

/** A session as a seed row; throws a `RolloutFault` if it is nested too deeply to store. */
export function rolloutRow(
  rollout: Rollout,
  { format, path }: { readonly format: RolloutSource['format']; readonly path: string },
): Mapping {
  const { messages, sourceMeta } = rollout;
  if (isNestedTooDeeply(stringifyJson(sourceMeta))) throw new RolloutFault('its content is nested too deeply');
  return {
    trace_id: rollout.traceId,
    source_kind: format,
    source_path: path,
    root_session_id: rollout.rootSessionId,
    agent_id: rollout.agentId,
    is_sidechain: rollout.isSidechain,
    cwd: rollout.cwd,
    project_path: rollout.projectPath,
    git_branch: rollout.gitBranch,
    started_at: rollout.startedAt,
    ended_at: rollout.endedAt,
    messages: traceCell(messages),
    source_meta: sourceMeta,
    message_count: messages.length,
    tool_call_count: messages.reduce((count, { tool_calls: calls = [] }) => count + calls.length, 0),
    final_assistant_message: finalText(rollout),
  };
}

/** The text of the agent's last message that has text. */
function finalText({ messages }: Rollout): string | null {
  for (const { role, content } of messages.toReversed()) {
    const text = role === 'assistant' ? textOfContent(content) : '';
    if (text !== '') return text;
  }
  return null;
}
