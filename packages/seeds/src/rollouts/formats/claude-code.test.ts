import { expect, test } from 'vitest';
import { claudeCode } from './claude-code.ts';

const lines = (...records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const read = (...records: readonly object[]) =>
  claudeCode.read({ text: lines(...records), name: 'file-name.jsonl' }, new Map());
const said = (type: 'user' | 'assistant', content: unknown, more: object = {}) => ({
  type,
  ...more,
  message: { role: type, content },
});
const call = (id: string, name: string, text: string) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

test("takes a session's details from its first records, and compares times across time zones", () => {
  const session = read(
    { type: 'summary', summary: 'Earlier.' },
    said('user', 'Hi', {
      sessionId: 's',
      cwd: '/a',
      gitBranch: 'main',
      version: '2.0',
      timestamp: '2025-01-01T12:00:00Z',
    }),
    said('user', 'Ho', { sessionId: 't', cwd: '/b', version: '1.9', timestamp: '2025-01-01T12:30:00+01:00' }),
    said('user', 'Hu', { timestamp: 'soon' }),
  );
  expect(session).toMatchObject({
    traceId: 's',
    rootSessionId: 's',
    agentId: null,
    isSidechain: false,
    cwd: '/a',
    projectPath: '/a',
    gitBranch: 'main',
    startedAt: '2025-01-01T12:30:00+01:00',
    endedAt: '2025-01-01T12:00:00Z',
    sourceMeta: { record_count: 4, record_types: ['summary', 'user'], claude_versions: ['1.9', '2.0'] },
  });
  expect(session.messages.map(({ content }) => content)).toEqual(['Hi', 'Ho', 'Hu']);
});

test('reads a subagent as a trace of its own, on a side chain', () => {
  const session = read(said('user', 'Look.', { sessionId: 's', agentId: 'a1', isSidechain: true }));
  expect(session).toMatchObject({ traceId: 's:a1', rootSessionId: 's', agentId: 'a1', isSidechain: true });
});

test('names a session without id after its file', () => {
  expect(read(said('user', 'Hi')).traceId).toBe('file-name');
});

test('converts reasoning, calls and results to the messages of a trace', () => {
  const { messages } = read(
    said('assistant', [
      { type: 'thinking', thinking: 'First.' },
      { type: 'redacted_thinking', data: 'xyz' },
      { type: 'thinking', thinking: 'Second.' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'c1', name: 'look', input: { b: [2, 1], a: { d: 1, c: 2.0 } } },
      { type: 'tool_use', id: 'c2', name: 'wait' },
    ]),
    said('user', [
      { type: 'tool_result', tool_use_id: 'c1', content: 'seen' },
      { type: 'text', text: 'And then?' },
      {
        type: 'tool_result',
        tool_use_id: 'c2',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]),
    said('user', { type: 'tool_result', tool_use_id: 'c3', content: null }),
  );
  expect(messages).toEqual([
    {
      role: 'assistant',
      content: 'I look.',
      reasoning_content: 'First.\n\nSecond.',
      tool_calls: [call('c1', 'look', '{"a":{"c":2,"d":1},"b":[2,1]}'), call('c2', 'wait', '{}')],
    },
    { role: 'user', content: 'And then?' },
    { role: 'tool', content: 'seen', tool_call_id: 'c1' },
    {
      role: 'tool',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      tool_call_id: 'c2',
    },
    { role: 'tool', content: null, tool_call_id: 'c3' },
  ]);
});

test('skips an empty answer', () => {
  expect(read(said('assistant', []), said('assistant', null)).messages).toEqual([]);
});

test('takes project path and summary from the index', () => {
  const index = claudeCode.index?.read(
    JSON.stringify({ entries: [{ sessionId: 's', projectPath: '/p', summary: 'Short.', firstPrompt: 'Hi' }, 7, {}] }),
  );
  const text = lines(said('user', 'Hi', { sessionId: 's', cwd: '/w' }));
  expect(claudeCode.read({ text, name: 'a.jsonl' }, index ?? new Map())).toMatchObject({
    cwd: '/w',
    projectPath: '/p',
    sourceMeta: { summary: 'Short.', first_prompt: 'Hi' },
  });
  expect(() => claudeCode.index?.read('{"entries": {}}')).toThrow("it has no list 'entries'");
});

test.each([
  [{ type: 'assistant' }, "a record of type 'assistant' has no message"],
  [said('assistant', [{ type: 'tool_use', name: 'look' }]), "a tool_use has no text 'id'"],
  [said('user', [{ type: 'tool_result', content: 'x' }]), "a tool_result has no text 'tool_use_id'"],
])('%j is malformed', (record, reason) => {
  expect(() => read(record)).toThrow(reason);
});
