import { expect, test } from 'vitest';
import { rolloutSeed, type RolloutFormat } from './rollout-seed.ts';

test.each<[RolloutFormat, readonly string[], readonly string[]]>([
  ['atif', ['a.json', 'b/c.json'], ['a.jsonl']],
  [
    'claude_code',
    ['p/a.jsonl'],
    ['history.jsonl', 'p/history.jsonl', 'p/tool-results/a.jsonl', 'p/sessions-index.json'],
  ],
  ['codex', ['2025/rollout-1.jsonl'], ['notes.jsonl', 'rollout-1.json']],
  ['hermes_agent', ['session_1.json', 'b/gateway.jsonl'], ['sessions.json', 'x.json']],
  ['pi_coding_agent', ['a.jsonl'], ['a.json']],
])('the format %s takes its recordings and no other files', (format, taken, left) => {
  const source = { seedType: 'agent_rollout', format, path: 'runs', filePattern: null, recursive: true } as const;
  const { takes } = rolloutSeed.folderOf(source, '/');
  expect([taken.filter(takes), left.filter(takes)]).toEqual([taken, []]);
});
