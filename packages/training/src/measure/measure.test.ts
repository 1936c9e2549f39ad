import type { ToolSchema } from '@data-designer/core';
import { expect, test } from 'vitest';
import { openCounter } from './token-counter.ts';

const said = (content: string) => ({ role: 'assistant', content }) as const;
const TOOLS: readonly ToolSchema[] = [
  { type: 'function', function: { name: 'look', description: 'Looks things up.', parameters: {} } },
];

test('the longer side of a pair counts, and tools count in every example', async () => {
  const count = await openCounter('o200k');
  const [short, long] = [[said('one')], [said('one two three four')]];
  const pair = { prompt: [], tools: [], chosen: short, rejected: long };
  expect(count({ messages: long, tools: [] })).toBe(4);
  expect(count(pair)).toBe(4);
  expect(count({ ...pair, chosen: long, rejected: short })).toBe(4);
  const withTools = count({ messages: long, tools: TOOLS });
  expect(withTools).toBeGreaterThan(10);
  expect(count({ messages: long, tools: TOOLS })).toBe(withTools);
});
