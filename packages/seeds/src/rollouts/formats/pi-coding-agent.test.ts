import { expect, test } from 'vitest';
import { piCodingAgent } from './pi-coding-agent.ts';

const header = { type: 'session', version: 3, id: 's', cwd: '/w', timestamp: '2025-01-01T10:00:00Z' };
const read = (...records: readonly object[]) =>
  piCodingAgent.read({ text: records.map((record) => JSON.stringify(record)).join('\n'), name: 'a.jsonl' }, new Map());

/** Entries one after the other, each the parent of the next. */
const chain = (...entries: readonly object[]) =>
  entries.map((entry, index) => ({ id: `e${index}`, parentId: index === 0 ? null : `e${index - 1}`, ...entry }));
const message = (role: string, more: object) => ({ type: 'message', message: { role, ...more } });
const user = (content: unknown) => message('user', { content });
const contents = (...records: readonly object[]) => read(header, ...records).messages.map(({ content }) => content);
const call = (id: string, name: string, text: string) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

test("reads a session's first line and its branch", () => {
  const usage = { model: 'm2', stopReason: 'stop' };
  const session = read(
    { ...header, parentSession: 'earlier' },
    ...chain(
      { type: 'model_change', modelId: 'm1' },
      { ...user('Hi'), timestamp: '2025-01-01T11:00:00Z' },
      message('assistant', { content: [{ type: 'text', text: 'Ho' }], ...usage }),
    ),
  );
  expect(session).toEqual({
    traceId: 's',
    rootSessionId: 's',
    agentId: null,
    isSidechain: false,
    cwd: '/w',
    projectPath: '/w',
    gitBranch: null,
    startedAt: '2025-01-01T10:00:00Z',
    endedAt: '2025-01-01T11:00:00Z',
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Ho' },
    ],
    sourceMeta: {
      record_count: 4,
      entry_types: ['message', 'model_change'],
      stop_reasons: ['stop'],
      session_version: 3,
      models_used: ['m1', 'm2'],
      parent_session: 'earlier',
    },
  });
});

test('follows the branch of the last entry', () => {
  const records = [
    { id: 'a', parentId: null, ...user('root') },
    { id: 'b', parentId: 'a', ...user('left') },
    { id: 'c', parentId: 'b', ...user('leftmost') },
    { id: 'd', parentId: 'a', ...user('right') },
  ];
  expect(contents(...records)).toEqual(['root', 'right']);
  expect(read(header, ...records).sourceMeta).toMatchObject({ has_branches: true, record_count: 5 });
});

test('stops at a missing parent and at a cycle of parents', () => {
  expect(contents({ id: 'a', parentId: 'b', ...user('1') }, { id: 'b', parentId: 'a', ...user('2') })).toEqual([
    '1',
    '2',
  ]);
  expect(contents({ id: 'a', parentId: 'gone', ...user('1') })).toEqual(['1']);
});

test('reads all entries of the first version, which has no ids', () => {
  expect(contents(user('1'), user('2'))).toEqual(['1', '2']);
});

test('reads calls, results, user commands and summaries of earlier turns as messages', () => {
  const { messages, sourceMeta } = read(
    header,
    ...chain(
      { type: 'compaction', summary: 'Earlier.' },
      { type: 'branch_summary', summary: 'Elsewhere.' },
      { type: 'custom_message', display: true, content: [{ type: 'text', text: 'Shown.' }] },
      { type: 'custom_message', display: false, content: 'Hidden.' },
      { type: 'custom', data: {} },
      message('assistant', {
        content: [
          { type: 'thinking', thinking: 'Where?' },
          { type: 'text', text: 'One.' },
          { type: 'text', text: 'Two.' },
          { type: 'toolCall', id: 'c', name: 'look', arguments: { at: 'x' } },
        ],
      }),
      message('toolResult', { toolCallId: 'c', content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] }),
      message('bashExecution', { command: 'ls', output: 'x.txt', exitCode: 1 }),
      message('bashExecution', { command: 'env', output: 'SECRET', excludeFromContext: true }),
      message('unknown', { content: 'x' }),
    ),
  );
  expect(messages).toEqual([
    { role: 'system', content: 'Earlier.' },
    { role: 'system', content: 'Elsewhere.' },
    { role: 'system', content: 'Shown.' },
    {
      role: 'assistant',
      content: 'One.\n\nTwo.',
      reasoning_content: 'Where?',
      tool_calls: [call('c', 'look', '{"at":"x"}')],
    },
    {
      role: 'tool',
      content: [{ type: 'image', media_type: 'image/png', url: 'data:image/png;base64,AA==' }],
      tool_call_id: 'c',
    },
    { role: 'assistant', content: null, tool_calls: [call('bash_e7', 'bash', '{"command":"ls"}')] },
    { role: 'tool', content: 'x.txt\n[exit code: 1]', tool_call_id: 'bash_e7' },
  ]);
  expect(sourceMeta).toMatchObject({ bash_execution_count: 2 });
});

test.each([
  [[user('Hi')], "its first line is not of type 'session'"],
  [[{ type: 'session' }], "its first line has no text 'id'"],
  [[header, message('toolResult', { content: '' })], "a toolResult has no text 'toolCallId'"],
])('%j is malformed', (records, reason) => {
  expect(() => read(...records)).toThrow(reason);
});
