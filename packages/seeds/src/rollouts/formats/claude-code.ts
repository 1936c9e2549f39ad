import { isMapping, type Mapping } from '@data-designer/config';
import type { ChatMessage } from '@data-designer/core';
import { jsonLines, jsonRecord } from './json-records.ts';
import { neededText, stemOf, textOf, textsOf, typesOf } from './record-members.ts';
import { type Recording, type Rollout, RolloutFault, type RolloutFormat, type SessionIndex } from '../rollout.ts';
import { spanOfTimes } from './span-of-times.ts';
import { toMessage, toToolCall } from './to-message.ts';

/** Sessions of Claude Code: one record per line; subagents have files of their own. */
export const claudeCode: RolloutFormat = {
  read,
  index: { name: 'sessions-index.json', read: readIndex },
};

function read({ text, name }: Recording, index: SessionIndex): Rollout {
  const records = jsonLines(text);
  const first = (key: string): string | null => firstText(records, key);
  const rootSessionId = first('sessionId') ?? stemOf(name);
  const agentId = first('agentId');
  const told = index.get(rootSessionId) ?? {};
  const cwd = first('cwd');
  return {
    traceId: agentId === null ? rootSessionId : `${rootSessionId}:${agentId}`,
    rootSessionId,
    agentId,
    isSidechain: records.some(({ isSidechain }) => Boolean(isSidechain)),
    cwd,
    projectPath: textOf(told, 'projectPath') ?? cwd,
    gitBranch: first('gitBranch'),
    ...spanOfTimes(records.map((record) => textOf(record, 'timestamp'))),
    messages: records.flatMap(messagesOf),
    sourceMeta: metaOf(records, told),
  };
}

function firstText(records: readonly Mapping[], key: string): string | null {
  for (const record of records) {
    const text = textOf(record, key);
    if (text !== null) return text;
  }
  return null;
}

function metaOf(records: readonly Mapping[], told: Mapping): Mapping {
  const versions = new Set(records.flatMap((record) => textOf(record, 'version') ?? []));
  const firstPrompt = textOf(told, 'firstPrompt');
  return {
    record_count: records.length,
    record_types: typesOf(records),
    ...(versions.size === 0 ? {} : { claude_versions: [...versions].toSorted() }),
    ...textsOf(told, ['summary']),
    ...(firstPrompt === null ? {} : { first_prompt: firstPrompt }),
  };
}

function messagesOf(record: Mapping): ChatMessage[] {
  const { type: role, message } = record;
  if (role !== 'assistant' && role !== 'user') return [];
  if (!isMapping(message)) throw new RolloutFault(`a record of type '${role}' has no message`);
  const { content } = message;
  if (typeof content === 'string' || content === null || content === undefined) {
    return role === 'user' || content ? [toMessage(role, content)] : [];
  }
  return messagesOfBlocks(role, Array.isArray(content) ? content : [content]);
}

/** One message with text, reasoning and calls, followed by the tool results among its blocks. */
function messagesOfBlocks(role: 'assistant' | 'user', blocks: readonly unknown[]): ChatMessage[] {
  const of = (type: string): Mapping[] => blocks.filter(isMapping).filter((block) => block.type === type);
  const results = of('tool_result').map((block) =>
    toMessage('tool', block.content, { callId: neededText(block, 'tool_use_id', 'a tool_result') }),
  );
  const content = blocks.filter((block) => !isMapping(block) || !isApart(block, role));
  if (role === 'user') return content.length === 0 ? results : [toMessage('user', content), ...results];
  const calls = of('tool_use').map((block) =>
    toToolCall(neededText(block, 'id', 'a tool_use'), neededText(block, 'name', 'a tool_use'), block.input),
  );
  const thoughts = of('thinking').flatMap((block) => textOf(block, 'thinking') ?? textOf(block, 'text') ?? []);
  if (content.length + calls.length + thoughts.length === 0) return results;
  return [toMessage('assistant', content, { reasoning: thoughts.join('\n\n'), calls }), ...results];
}

/** Whether a block is not part of its message's content; redacted thinking is dropped. */
function isApart({ type }: Mapping, role: 'assistant' | 'user'): boolean {
  if (type === 'tool_result') return true;
  return role === 'assistant' && (type === 'thinking' || type === 'redacted_thinking' || type === 'tool_use');
}

function readIndex(text: string): SessionIndex {
  const { entries = [] } = jsonRecord(text);
  if (!Array.isArray(entries)) throw new RolloutFault("it has no list 'entries'");
  return new Map(
    entries.filter(isMapping).flatMap((entry) => {
      const session = textOf(entry, 'sessionId');
      return session === null ? [] : [[session, entry] as const];
    }),
  );
}
