import { isMapping, type Mapping } from '@data-designer/config';
import { type ChatMessage, stringifyJson } from '@data-designer/core';
import { jsonLines } from './json-records.ts';
import { mainSession, mappingOf, neededText, textOf, typesOf } from './record-members.ts';
import { type Recording, type Rollout, RolloutFault, type RolloutFormat } from '../rollout.ts';
import { toMessage, toToolCall } from './to-message.ts';

/** Sessions of the Pi coding agent: one entry per line, in a tree; the branch of the last entry counts. */
export const piCodingAgent: RolloutFormat = { read };

function read({ text }: Recording): Rollout {
  const [header = {}, ...entries] = jsonLines(text);
  if (header.type !== 'session') throw new RolloutFault("its first line is not of type 'session'");
  const sessionId = neededText(header, 'id', 'its first line');
  const branch = lastBranch(entries);
  const times = [header, ...entries].flatMap((entry) => textOf(entry, 'timestamp') ?? []).toSorted();
  const cwd = textOf(header, 'cwd');
  return {
    ...mainSession(sessionId),
    cwd,
    projectPath: cwd,
    gitBranch: null,
    startedAt: times[0] ?? null,
    endedAt: times.at(-1) ?? null,
    messages: branch.flatMap(messagesOf),
    sourceMeta: metaOf(header, entries, branch),
  };
}

/** The path from the root to the last entry; all entries in the first version of the format, which has no ids. */
function lastBranch(entries: readonly Mapping[]): readonly Mapping[] {
  const byId = new Map(entries.flatMap((entry) => (typeof entry.id === 'string' ? [[entry.id, entry] as const] : [])));
  if (byId.size === 0) return entries;
  const way = new Set<Mapping>();
  for (let entry = entries.at(-1); entry && !way.has(entry); entry = byId.get(textOf(entry, 'parentId') ?? ''))
    way.add(entry);
  return [...way].toReversed();
}

function hasBranches(entries: readonly Mapping[]): boolean {
  const parents = entries.flatMap((entry) => textOf(entry, 'parentId') ?? []);
  return new Set(parents).size < parents.length;
}

function metaOf(header: Mapping, entries: readonly Mapping[], branch: readonly Mapping[]): Mapping {
  const told = branch.filter(({ type }) => type === 'message').map((entry) => mappingOf(entry, 'message'));
  const answers = told.filter(({ role }) => role === 'assistant');
  const models = branch.flatMap((entry) => {
    if (entry.type === 'model_change') return textOf(entry, 'modelId') ?? [];
    const message = mappingOf(entry, 'message');
    return (entry.type === 'message' && message.role === 'assistant' && textOf(message, 'model')) || [];
  });
  const commands = told.filter(({ role }) => role === 'bashExecution').length;
  const parent = textOf(header, 'parentSession');
  return {
    record_count: entries.length + 1,
    entry_types: typesOf(branch),
    stop_reasons: [...new Set(answers.flatMap((answer) => textOf(answer, 'stopReason') ?? []))],
    ...((header.version ?? null) === null ? {} : { session_version: header.version }),
    ...(models.length === 0 ? {} : { models_used: [...new Set(models)] }),
    ...(hasBranches(entries) ? { has_branches: true } : {}),
    ...(commands === 0 ? {} : { bash_execution_count: commands }),
    ...(parent === null ? {} : { parent_session: parent }),
  };
}

function messagesOf(entry: Mapping): ChatMessage[] {
  if (entry.type === 'compaction' || entry.type === 'branch_summary') return summaryOf(entry);
  if (entry.type === 'custom_message') return shown(entry);
  if (entry.type !== 'message' || !isMapping(entry.message)) return [];
  const { message } = entry;
  switch (message.role) {
    case 'user':
      return [toMessage('user', message.content)];
    case 'assistant':
      return [answerOf(message)];
    case 'toolResult':
      return [toMessage('tool', message.content, { callId: neededText(message, 'toolCallId', 'a toolResult') })];
    case 'bashExecution':
      return commandOf(message, textOf(entry, 'id') ?? 'unknown');
    case 'custom':
      return shown(message);
    case 'compactionSummary':
    case 'branchSummary':
      return summaryOf(message);
    default:
      return [];
  }
}

function summaryOf(told: Mapping): ChatMessage[] {
  const summary = textOf(told, 'summary');
  return summary === null ? [] : [toMessage('system', summary)];
}

function shown({ display, content }: Mapping): ChatMessage[] {
  return display ? [toMessage('system', content)] : [];
}

function answerOf({ content }: Mapping): ChatMessage {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  const of = (type: string): Mapping[] => blocks.filter(isMapping).filter((block) => block.type === type);
  const texts = blocks.flatMap((block) => {
    if (!isMapping(block)) return typeof block === 'string' && block !== '' ? block : [];
    return (block.type === 'text' && textOf(block, 'text')) || [];
  });
  const thoughts = of('thinking').flatMap((block) => textOf(block, 'thinking') ?? []);
  const calls = of('toolCall').map((block) =>
    toToolCall(textOf(block, 'id') ?? '', textOf(block, 'name') ?? '', block.arguments),
  );
  return toMessage('assistant', texts.length === 0 ? null : texts.join('\n\n'), {
    reasoning: thoughts.join('\n\n'),
    calls,
  });
}

/** A command that the user ran in the agent's shell, as a call with its result, unless it was hidden from the model. */
function commandOf(message: Mapping, entryId: string): ChatMessage[] {
  if (message.excludeFromContext) return [];
  const callId = `bash_${entryId}`;
  const code = message.exitCode ?? null;
  const output = [textOf(message, 'output'), code === null ? null : `[exit code: ${stringifyJson(code)}]`];
  return [
    toMessage('assistant', null, {
      calls: [toToolCall(callId, 'bash', { command: textOf(message, 'command') ?? '' })],
    }),
    toMessage('tool', output.filter((part) => part !== null).join('\n'), { callId }),
  ];
}
