import { expect, test } from 'vitest';
import { atif } from './atif.ts';

const user = { step_id: 1, source: 'user', message: 'Hi', timestamp: '2025-01-01T10:00:00' };
const agent = {
  step_id: 2,
  source: 'agent',
  message: 'I look.',
  timestamp: '2025-01-01T10:00:01',
  reasoning_content: 'Where?',
  tool_calls: [{ tool_call_id: 'c', function_name: 'look', arguments: { at: 'x' } }],
  observation: {
    results: [
      { source_call_id: 'c', content: 'seen' },
      { subagent_trajectory_ref: [{ session_id: 'sub', trajectory_path: 'sub.json', extra: { a: 1 }, other: 1 }] },
    ],
  },
};

const trajectory = (steps: unknown = [user, agent], more: object = {}) => ({
  schema_version: 'ATIF-v1.4',
  session_id: 's',
  agent: { name: 'deckhand', version: '1', extra: { cwd: '/w', git_branch: 'main' } },
  steps,
  ...more,
});
const read = (value: unknown) => atif.read({ text: JSON.stringify(value), name: 'a.json' }, new Map());

test('reads a trajectory as a session and its steps as messages', () => {
  const copied = { ...user, step_id: 3, is_copied_context: true, timestamp: undefined };
  const metrics = { total_prompt_tokens: 7 };
  const more = { notes: 'Good.', final_metrics: metrics, extra: {}, continued_trajectory_ref: 'b.json' };
  expect(read(trajectory([user, agent, copied], more))).toEqual({
    traceId: 's',
    rootSessionId: 's',
    agentId: null,
    isSidechain: false,
    cwd: '/w',
    projectPath: '/w',
    gitBranch: 'main',
    startedAt: '2025-01-01T10:00:00',
    endedAt: '2025-01-01T10:00:01',
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: 'I look.',
        reasoning_content: 'Where?',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{"at":"x"}' } }],
      },
      { role: 'tool', content: 'seen', tool_call_id: 'c' },
      { role: 'user', content: 'Hi' },
    ],
    sourceMeta: {
      schema_version: 'ATIF-v1.4',
      step_count: 3,
      agent_name: 'deckhand',
      version: '1',
      copied_context_step_ids: [3],
      subagent_trajectory_refs: [
        { step_id: 2, refs: [{ session_id: 'sub', trajectory_path: 'sub.json', extra: { a: 1 } }] },
      ],
      notes: 'Good.',
      continued_trajectory_ref: 'b.json',
      final_metrics: metrics,
    },
  });
});

const result = (told: unknown) => trajectory([user, { ...agent, observation: { results: [told] } }]);

test.each<[unknown, string]>([
  [trajectory([]), 'it has no steps'],
  [trajectory({}), "it has no list of objects 'steps'"],
  [trajectory([7]), "it has no list of objects 'steps'"],
  [trajectory([user, user]), "step 2 does not have the 'step_id' 2"],
  [trajectory([{ ...user, source: 'critic' }]), "step 1 has no source 'agent', 'user' or 'system'"],
  [trajectory([{ step_id: 1, source: 'user' }]), "step 1 has no 'message'"],
  [
    trajectory([{ ...user, reasoning_content: 'x' }]),
    "step 1 has 'reasoning_content', which only a step of the agent may have",
  ],
  [trajectory([{ ...user, tool_calls: [] }]), "step 1 has 'tool_calls', which only a step of the agent may have"],
  [trajectory([user, { ...agent, tool_calls: [{ tool_call_id: 'c' }] }]), "step 2 has no text 'function_name'"],
  [trajectory([user, { ...agent, observation: [] }]), 'the observation of step 2 is not an object'],
  [result({ content: 'x' }), "a result of step 2 has no text 'source_call_id'"],
  [result({ content: 'x', source_call_id: 'd' }), "a result of step 2 answers 'd', but the step has no such call"],
  [result({ subagent_trajectory_ref: [{}] }), "a result of step 2 has no text 'session_id'"],
  [trajectory([user], { session_id: 7 }), "it has no text 'session_id'"],
  [trajectory([user], { schema_version: undefined }), "it has no text 'schema_version'"],
  [trajectory([user], { agent: null }), "its agent has no text 'name'"],
  [[], 'it is not a JSON object'],
])('%j is malformed', (value, reason) => {
  expect(() => read(value)).toThrow(reason);
});

test('refuses text that is not JSON', () => {
  expect(() => atif.read({ text: '{"a": NaN}', name: 'a.json' }, new Map())).toThrow('it is not valid JSON');
});
