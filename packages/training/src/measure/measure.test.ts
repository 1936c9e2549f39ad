import type { Plan, ToolSchema } from '@data-designer/core';
import { expect, test } from 'vitest';
import { provenanceOf } from './provenance.ts';
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

test('two examples of a row, and rows of other seeds, have identifiers of their own', () => {
  const plan = { columns: [], models: {}, fingerprint: 'f', identity: 'i', seed: 1 } as unknown as Plan;
  const idOf = (seed: number, row: number, index: number) => {
    const tell = provenanceOf({ folder: 'x', plan: { ...plan, seed }, tools: {}, version: '0' }, undefined);
    return tell({ messages: [], tools: [] }, { row, index, values: {} }).uuid;
  };
  expect(new Set([idOf(1, 0, 0), idOf(1, 0, 1), idOf(1, 1, 0), idOf(2, 0, 0)]).size).toBe(4);
  expect(idOf(1, 0, 0)).toBe(idOf(1, 0, 0));
});
