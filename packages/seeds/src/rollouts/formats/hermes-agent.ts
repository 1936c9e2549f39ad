import { isMapping, type Mapping } from '@data-designer/config';
import { type ChatMessage, stringifyJson, type ToolCall } from '@data-designer/core';
import { sortKeys } from '@data-designer/dataset';
import { jsonLines, jsonRecord } from './json-records.ts';
import { mainSession, mappingOf, neededMappings, neededText, stemOf, textOf, textsOf } from './record-members.ts';
import { type Recording, type Rollout, RolloutFault, type RolloutFormat, type SessionIndex } from '../rollout.ts';
import { roleOf, toMessage, toToolCall } from './to-message.ts';

/** Sessions of Hermes Agent: one JSON object per file from the command line, one message per line from its gateway. */
export const hermesAgent: RolloutFormat = {
  read: (recording, index) => (recording.name.endsWith('.json') ? readLog(recording) : readGateway(recording, index)),
  index: { name: 'sessions.json', read: readIndex },
};

const NOWHERE = { cwd: null, projectPath: null, gitBranch: null } as const;

function readLog({ text, name }: Recording): Rollout {
  const log = jsonRecord(text);
  if (!Array.isArray(log.messages)) throw new RolloutFault("it has no list 'messages'");
  const told = neededMappings(log, 'messages', 'it');
  const prompt = textOf(log, 'system_prompt');
  const sessionId = textOf(log, 'session_id') ?? stemOf(name).replace(/^session_/, '');
  return {
    ...mainSession(sessionId),
    ...NOWHERE,
    startedAt: textOf(log, 'session_start'),
    endedAt: textOf(log, 'last_updated'),
    messages: [...(prompt === null ? [] : [toMessage('system', prompt)]), ...told.map(messageOf)],
    sourceMeta: logMeta(log, told, prompt),
  };
}

function logMeta(log: Mapping, told: readonly Mapping[], prompt: string | null): Mapping {
  const tools: readonly unknown[] = Array.isArray(log.tools) ? log.tools : [];
  const names = toolNames(tools);
  return {
    record_count: told.length,
    session_format: 'cli_session_log',
    available_tool_count: names.length,
    available_tool_names: names,
    finish_reasons: finishReasons(told),
    ...textsOf(log, ['model', 'base_url', 'platform']),
    ...(prompt === null ? {} : { has_system_prompt: true, system_prompt_chars: Array.from(prompt).length }),
    ...(tools.length === 0 ? {} : { tools: stringifyJson(sortKeys(tools)) }),
  };
}

/** Details of a gateway session that `source_meta` takes from the index. */
const KEPT = [
  'session_key',
  'display_name',
  'platform',
  'chat_type',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'total_tokens',
  'last_prompt_tokens',
  'estimated_cost_usd',
  'cost_status',
  'memory_flushed',
];

function readGateway({ text, name }: Recording, index: SessionIndex): Rollout {
  const told = jsonLines(text);
  const sessionId = stemOf(name);
  const session = index.get(sessionId) ?? {};
  const origin = mappingOf(session, 'origin');
  const calls = told.flatMap(({ tool_calls: listed }) => (Array.isArray(listed) ? listed.filter(isMapping) : []));
  return {
    ...mainSession(sessionId),
    ...NOWHERE,
    startedAt: textOf(session, 'created_at'),
    endedAt: textOf(session, 'updated_at'),
    messages: told.map(messageOf),
    sourceMeta: {
      record_count: told.length,
      session_format: 'gateway_transcript',
      finish_reasons: finishReasons(told),
      tool_names_used: toolNames(calls),
      ...Object.fromEntries(KEPT.flatMap((key) => (Object.hasOwn(session, key) ? [[key, session[key]]] : []))),
      ...(Object.keys(origin).length === 0 ? {} : { origin }),
    },
  };
}

function messageOf(told: Mapping, index: number): ChatMessage {
  const where = `message ${index + 1}`;
  const role = roleOf(told.role, where);
  if (role === 'tool') return toMessage(role, told.content, { callId: neededText(told, 'tool_call_id', where) });
  const calls = neededMappings(told, 'tool_calls', where).map((call) => callOf(call, `a call of ${where}`));
  return toMessage(role, told.content, { reasoning: textOf(told, 'reasoning'), calls });
}

function callOf(call: Mapping, where: string): ToolCall {
  const named = { ...call, ...mappingOf(call, 'function') };
  const id = textOf(call, 'id') === null ? 'call_id' : 'id';
  return toToolCall(neededText(call, id, where), neededText(named, 'name', where), named.arguments);
}

function finishReasons(told: readonly Mapping[]): string[] {
  const answers = told.filter(({ role }) => role === 'assistant');
  return [...new Set(answers.flatMap((answer) => textOf(answer, 'finish_reason') ?? []))];
}

function toolNames(tools: readonly unknown[]): string[] {
  return [...new Set(tools.filter(isMapping).flatMap((tool) => textOf(mappingOf(tool, 'function'), 'name') ?? []))];
}

/** Turns the index by chat into one by session. */
function readIndex(text: string): SessionIndex {
  const sessions = new Map<string, Mapping>();
  for (const [key, entry] of Object.entries(jsonRecord(text))) {
    const told = isMapping(entry) ? entry : { session_id: entry };
    const session = textOf(told, 'session_id');
    if (session !== null)
      sessions.set(session, isMapping(entry) ? { session_key: key, ...entry } : { session_key: key });
  }
  return sessions;
}
