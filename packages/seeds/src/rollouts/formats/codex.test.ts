import { expect, test } from 'vitest';
import { codex } from './codex.ts';

const read = (...records: readonly object[]) =>
  codex.read({ text: records.map((record) => JSON.stringify(record)).join('\n'), name: 'rollout-1.jsonl' }, new Map());
const item = (payload: object) => ({ type: 'response_item', payload });
const thought = (text: string) => ({ type: 'event_msg', payload: { type: 'agent_reasoning', text } });
const call = (id: string, name: string, text: string) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

test("takes folder, branch and version from the session's record", () => {
  const session = {
    id: 's',
    timestamp: '2025-01-01T10:00:00Z',
    cwd: '/w',
    originator: 'cli',
    cli_version: '0.50',
    git: { branch: 'main' },
  };
  expect(
    read(
      { timestamp: '2025-01-01T10:00:01Z', type: 'session_meta', payload: session },
      { timestamp: '2025-01-01T09:00:00Z', type: 'turn_context', payload: {} },
      { timestamp: '2025-01-01T11:00:00.5Z', ...item({ type: 'message', role: 'developer', content: 'Be kind.' }) },
    ),
  ).toEqual({
    traceId: 's',
    rootSessionId: 's',
    agentId: null,
    isSidechain: false,
    cwd: '/w',
    projectPath: '/w',
    gitBranch: 'main',
    startedAt: '2025-01-01T10:00:00Z',
    endedAt: '2025-01-01T11:00:00.5Z',
    messages: [{ role: 'system', content: 'Be kind.' }],
    sourceMeta: {
      record_count: 3,
      record_types: ['response_item', 'session_meta', 'turn_context'],
      response_item_types: ['message'],
      originator: 'cli',
      cli_version: '0.50',
    },
  });
});

test('names a session without a session record after its file', () => {
  expect(read({ type: 'x', timestamp: '2025-01-01' })).toMatchObject({ traceId: 'rollout-1', startedAt: '2025-01-01' });
});

test('reads calls of every kind and their results as messages', () => {
  const { messages } = read(
    item({ type: 'function_call', call_id: 'a', name: 'shell', arguments: '{"command":["ls"]}' }),
    item({ type: 'function_call_output', call_id: 'a', output: 'x.txt' }),
    item({ type: 'custom_tool_call', call_id: 'b', name: 'apply_patch', input: '*** Begin' }),
    item({ type: 'custom_tool_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'done' }] }),
    item({ type: 'apply_patch_call', call_id: 'c', operation: { type: 'delete_file', path: 'x' } }),
    item({ type: 'apply_patch_call_output', call_id: 'c', output: 'gone' }),
    item({ type: 'local_shell_call', call_id: 'd', action: { type: 'exec', command: ['ls'] } }),
    item({ type: 'web_search_call', status: 'completed' }),
  );
  expect(messages).toEqual([
    { role: 'assistant', content: null, tool_calls: [call('a', 'shell', '{"command":["ls"]}')] },
    { role: 'tool', content: 'x.txt', tool_call_id: 'a' },
    { role: 'assistant', content: null, tool_calls: [call('b', 'apply_patch', '{"input":"*** Begin"}')] },
    { role: 'tool', content: 'done', tool_call_id: 'b' },
    { role: 'assistant', content: null, tool_calls: [call('c', 'apply_patch', '{"path":"x","type":"delete_file"}')] },
    { role: 'tool', content: 'gone', tool_call_id: 'c' },
    { role: 'assistant', content: null, tool_calls: [call('d', 'local_shell', '{"command":["ls"],"type":"exec"}')] },
  ]);
});

test('attaches reasoning once to the next answer or call, and drops it at a user message', () => {
  const { messages, sourceMeta } = read(
    thought('Lost.'),
    item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }),
    thought('One.'),
    item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'One.' }, { text: 'Two.' }] }),
    item({ type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' }),
    thought('Three.'),
    item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Ho' }] }),
    thought('Left.'),
  );
  expect(messages.map(({ reasoning_content: reasoning }) => reasoning)).toEqual([undefined, 'One.\n\nTwo.', 'Three.']);
  expect(sourceMeta).toMatchObject({
    unattached_reasoning: ['Left.'],
    response_item_types: ['function_call', 'message', 'reasoning'],
  });
});

test('prefers raw reasoning to its summary where both are recorded, if the source asks for it', () => {
  const records = [
    thought('Short.'),
    item({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Short.' }],
      content: [{ type: 'reasoning_text', text: 'All of it.' }],
    }),
    // Repeats the summary once more.
    thought('Short.'),
    item({ type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' }),
    thought('Short.'),
    item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Only a summary.' }], content: null }),
    item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Ho' }] }),
  ];
  const text = records.map((record) => JSON.stringify(record)).join('\n');
  const reasoningOf = (takesRawReasoning: boolean) =>
    codex
      .read({ text, name: 'rollout-1.jsonl', takesRawReasoning }, new Map())
      .messages.map(({ reasoning_content: reasoning }) => reasoning);
  expect(reasoningOf(true)).toEqual(['All of it.', 'Short.\n\nOnly a summary.']);
  expect(reasoningOf(false)).toEqual(['Short.', 'Short.\n\nOnly a summary.']);
});

test.each([
  [item({ type: 'message', role: 'critic', content: '' }), 'a message has no known role'],
  [item({ type: 'function_call', name: 'look' }), "a function_call has no text 'call_id'"],
  [item({ type: 'function_call_output', output: '' }), "a function_call_output has no text 'call_id'"],
])('%j is malformed', (record, reason) => {
  expect(() => read(record)).toThrow(reason);
});
