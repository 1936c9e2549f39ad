import { isMapping, type Mapping } from '@data-designer/config';
import type { ChatMessage } from '@data-designer/core';
import { jsonLines } from './json-records.ts';
import { mainSession, mappingOf, neededText, stemOf, textOf, textsOf, typesOf } from './record-members.ts';
import type { Recording, Rollout, RolloutFormat } from '../rollout.ts';
import { spanOfTimes } from './span-of-times.ts';
import { roleOf, toMessage, toToolCall } from './to-message.ts';

/** Sessions of Codex: one record per line; those of type `response_item` are the conversation. */
export const codex: RolloutFormat = { read };

/** The conversation so far. */
interface Reading {
  readonly messages: ChatMessage[];
  /** Reasoning for the next message or call. */
  readonly waiting: Set<string>;
  /** Summaries of raw reasoning that is waiting; undefined if summaries are taken alone. */
  readonly replaced: Set<string> | undefined;
}

function read({ text, name, takesRawReasoning = false }: Recording): Rollout {
  const records = jsonLines(text);
  const typed = (type: string): Mapping[] => records.filter((record) => record.type === type).map(payloadOf);
  const session = typed('session_meta').at(-1) ?? {};
  const sessionId = textOf(session, 'id') ?? stemOf(name);
  const reading: Reading = { messages: [], waiting: new Set(), replaced: takesRawReasoning ? new Set() : undefined };
  for (const record of records) takeRecord(reading, record);
  const times = records.flatMap((record) => [textOf(record, 'timestamp'), sessionTime(record)]);
  const { startedAt, endedAt } = spanOfTimes(times);
  const cwd = textOf(session, 'cwd');
  return {
    ...mainSession(sessionId),
    cwd,
    projectPath: cwd,
    gitBranch: textOf(session, 'git_branch') ?? textOf(mappingOf(session, 'git'), 'branch'),
    startedAt: textOf(session, 'timestamp') ?? startedAt,
    endedAt,
    messages: reading.messages,
    sourceMeta: {
      record_count: records.length,
      record_types: typesOf(records),
      response_item_types: typesOf(typed('response_item')),
      ...textsOf(session, ['originator', 'cli_version', 'model_provider', 'source']),
      ...(reading.waiting.size === 0 ? {} : { unattached_reasoning: [...reading.waiting] }),
    },
  };
}

function payloadOf(record: Mapping): Mapping {
  return mappingOf(record, 'payload');
}

function sessionTime(record: Mapping): string | null {
  return record.type === 'session_meta' ? textOf(payloadOf(record), 'timestamp') : null;
}

function takeRecord(reading: Reading, record: Mapping): void {
  const payload = payloadOf(record);
  if (record.type === 'event_msg' && payload.type === 'agent_reasoning') wait(reading, [textOf(payload, 'text')]);
  if (record.type === 'response_item') takeItem(reading, payload);
}

function takeItem(reading: Reading, item: Mapping): void {
  const type = textOf(item, 'type') ?? '';
  if (type === 'reasoning') takeReasoning(reading, item);
  else if (type === 'message') {
    const role = roleOf(item.role, 'a message');
    const reasoning = takeThoughts(reading);
    reading.messages.push(toMessage(role, item.content, role === 'assistant' ? { reasoning } : {}));
  } else if (Object.hasOwn(CALLS, type)) {
    const { name, input } = CALLS[type]?.(item) ?? { name: type, input: null };
    const calls = [toToolCall(neededText(item, 'call_id', `a ${type}`), name, input)];
    reading.messages.push(toMessage('assistant', null, { reasoning: takeThoughts(reading), calls }));
  } else if (type.endsWith('_call_output')) {
    const callId = neededText(item, 'call_id', `a ${type}`);
    reading.messages.push(toMessage('tool', item.output, { callId }));
  }
}

/** The tool's name and input in each kind of call. */
const CALLS: Readonly<Record<string, (item: Mapping) => { readonly name: string; readonly input: unknown }>> = {
  function_call: (item) => ({ name: neededText(item, 'name', 'a function_call'), input: item.arguments }),
  // The input is free text, but arguments are JSON.
  custom_tool_call: (item) => ({
    name: neededText(item, 'name', 'a custom_tool_call'),
    input: typeof item.input === 'string' ? { input: item.input } : item.input,
  }),
  apply_patch_call: (item) => ({ name: 'apply_patch', input: item.operation }),
  local_shell_call: (item) => ({ name: 'local_shell', input: item.action }),
};

/** Takes the raw reasoning if it is wanted and recorded, else the summaries. */
function takeReasoning(reading: Reading, { summary, content }: Mapping): void {
  const summaries = partsOf(summary);
  const raw = reading.replaced ? partsOf(content) : [];
  if (!reading.replaced || raw.length === 0) return wait(reading, summaries);
  for (const text of summaries) {
    // An event before the item repeats its summary.
    reading.waiting.delete(text);
    reading.replaced.add(text);
  }
  wait(reading, raw);
}

/** Adds each text once: summaries repeat events. */
function wait({ waiting, replaced }: Reading, thoughts: readonly (string | null)[]): void {
  for (const thought of thoughts) {
    if (thought !== null && replaced?.has(thought) !== true) waiting.add(thought);
  }
}

function takeThoughts({ waiting, replaced }: Reading): string {
  const thoughts = [...waiting].join('\n\n');
  waiting.clear();
  replaced?.clear();
  return thoughts;
}

function partsOf(parts: unknown): string[] {
  return Array.isArray(parts) ? parts.filter(isMapping).flatMap((part) => textOf(part, 'text') ?? []) : [];
}
