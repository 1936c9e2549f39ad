import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan, ToolSchema } from '@data-designer/core';
import { datasetPaths } from '@data-designer/dataset';
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

test('two examples of a row, and rows of other seeds, have identifiers of their own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'provenance-'));
  mkdirSync(datasetPaths(folder).parquetFiles);
  const shape = { columns: [], processors: [], segments: [], models: {} };
  const plan = { ...shape, fingerprint: 'f', identity: 'i', seed: 1 } as unknown as Plan;
  const idOf = async (seed: number, row: number, index: number) => {
    const source = { folder, plan: { ...plan, seed }, tools: {}, tables: [], version: '0' };
    const tell = await provenanceOf(source, undefined);
    return tell({ messages: [], tools: [] }, { row, index, values: {} }).uuid;
  };
  const ids = [await idOf(1, 0, 0), await idOf(1, 0, 1), await idOf(1, 1, 0), await idOf(2, 0, 0)];
  expect(new Set(ids).size).toBe(4);
  expect(await idOf(1, 0, 0)).toBe(ids[0]);
  rmSync(folder, { recursive: true });
});
