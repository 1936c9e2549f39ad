import { expect, test } from 'vitest';
import { hermesAgent } from './hermes-agent.ts';

const messages = [
  { role: 'user', content: 'Hi' },
  {
    role: 'assistant',
    content: '',
    reasoning: 'Where?',
    finish_reason: 'tool_calls',
    tool_calls: [
      { id: 'a', function: { name: 'look', arguments: '{"at": 1}' } },
      { call_id: 'b', name: 'wait', arguments: { s: 1 } },
    ],
  },
  { role: 'tool', content: { seen: true }, tool_call_id: 'a' },
  { role: 'assistant', content: 'Ho', finish_reason: 'stop' },
];

const told = [
  { role: 'user', content: 'Hi' },
  {
    role: 'assistant',
    content: '',
    reasoning_content: 'Where?',
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'look', arguments: '{"at": 1}' } },
      { id: 'b', type: 'function', function: { name: 'wait', arguments: '{"s":1}' } },
    ],
  },
  { role: 'tool', content: '{"seen":true}', tool_call_id: 'a' },
  { role: 'assistant', content: 'Ho' },
];

const nowhere = { agentId: null, isSidechain: false, cwd: null, projectPath: null, gitBranch: null };
const log = (value: unknown, name = 'session_x.json') =>
  hermesAgent.read({ text: JSON.stringify(value), name }, new Map());
const gateway = (...records: readonly object[]) => records.map((record) => JSON.stringify(record)).join('\n');

test('reads a command-line log as a session that begins with its system prompt', () => {
  const tools = [{ type: 'function', function: { name: 'look' } }, { function: { name: 'look' } }, 7];
  const session = { session_id: 's', session_start: 'then', last_updated: 'now', model: 'm', platform: 'cli' };
  expect(log({ ...session, system_prompt: 'Be kind 🙂', tools, messages })).toEqual({
    ...nowhere,
    traceId: 's',
    rootSessionId: 's',
    startedAt: 'then',
    endedAt: 'now',
    messages: [{ role: 'system', content: 'Be kind 🙂' }, ...told],
    sourceMeta: {
      record_count: 4,
      session_format: 'cli_session_log',
      available_tool_count: 1,
      available_tool_names: ['look'],
      finish_reasons: ['tool_calls', 'stop'],
      model: 'm',
      platform: 'cli',
      has_system_prompt: true,
      system_prompt_chars: 9,
      tools: '[{"function":{"name":"look"},"type":"function"},{"function":{"name":"look"}},7]',
    },
  });
});

test('names a session without id after its file', () => {
  expect(log({ messages: [] })).toMatchObject({ traceId: 'x', messages: [] });
});

test('names a gateway transcript after its file and adds details of the index', () => {
  const entry = { session_id: 's', created_at: 'then', updated_at: 'now', total_tokens: 7, origin: { chat: 1 }, x: 1 };
  const index = hermesAgent.index?.read(JSON.stringify({ 'chat:1': entry, 'chat:2': 't', other: null }));
  const text = gateway(...messages);
  expect(hermesAgent.read({ text, name: 's.jsonl' }, index ?? new Map())).toEqual({
    ...nowhere,
    traceId: 's',
    rootSessionId: 's',
    startedAt: 'then',
    endedAt: 'now',
    messages: told,
    sourceMeta: {
      record_count: 4,
      session_format: 'gateway_transcript',
      finish_reasons: ['tool_calls', 'stop'],
      tool_names_used: ['look'],
      session_key: 'chat:1',
      total_tokens: 7,
      origin: { chat: 1 },
    },
  });
  const other = hermesAgent.read({ text, name: 't.jsonl' }, index ?? new Map());
  expect(other).toMatchObject({ startedAt: null, sourceMeta: { session_key: 'chat:2' } });
});

test.each<[unknown, string]>([
  [{}, "it has no list 'messages'"],
  [{ messages: [7] }, "it has no list of objects 'messages'"],
  [{ messages: [{ role: 'session_meta' }] }, 'message 1 has no known role'],
  [{ messages: [{ role: 'tool', content: '' }] }, "message 1 has no text 'tool_call_id'"],
  [{ messages: [{ role: 'assistant', tool_calls: {} }] }, "message 1 has no list of objects 'tool_calls'"],
  [{ messages: [{ role: 'assistant', tool_calls: [{ id: 'a' }] }] }, "a call of message 1 has no text 'name'"],
  [{ messages: [{ role: 'assistant', tool_calls: [{ name: 'a' }] }] }, "a call of message 1 has no text 'call_id'"],
])('%j is malformed', (value, reason) => {
  expect(() => log(value)).toThrow(reason);
});
