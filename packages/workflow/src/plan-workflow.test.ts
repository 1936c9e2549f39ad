import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { orderStages } from './order-stages.ts';
import { planWorkflow } from './plan-workflow.ts';
import type { DeclaredStage, WorkflowRunOptions } from './stage.ts';

const declared: readonly DeclaredStage[] = [
  { name: 'a', config: {} as never, options: {} },
  { name: 'b', config: {} as never, options: {} },
  { name: 'c', config: {} as never, options: { from: 'a' } },
  { name: 'd', config: {} as never, options: { from: [] } },
];
const parts = { name: 'w', stages: orderStages('w', declared), maker: {} as never };
const plan = (options: WorkflowRunOptions = {}) => {
  const { wanted, forced, ...rest } = planWorkflow(parts, options);
  return { wanted: wanted.map(({ name }) => name), forced: [...forced], ...rest };
};

test('all stages are made unless targets name some, with those that they need', () => {
  expect(plan()).toMatchObject({ wanted: ['a', 'b', 'c', 'd'], finalStage: 'd', forced: [] });
  expect(plan({ targets: 'c' })).toMatchObject({ wanted: ['a', 'c'], finalStage: 'c' });
  expect(plan({ targets: ['b', 'd'] })).toMatchObject({ wanted: ['a', 'b', 'd'], finalStage: 'd' });
});

test('rerunFrom makes a stage again and all that depend on it', () => {
  expect(plan({ rerunFrom: 'a', resume: 'always' }).forced).toEqual(['a', 'b', 'c']);
  expect(plan({ rerunFrom: 'b', resume: 'if_possible' }).forced).toEqual(['b']);
});

test.each<readonly [string, WorkflowRunOptions, string]>([
  ['an unknown target', { targets: 'e' }, "targets names no stage 'e'"],
  ['no target', { targets: [] }, 'targets is empty'],
  [
    'rerunFrom of a stage that the targets do not need',
    { targets: 'b', rerunFrom: 'c', resume: 'always' },
    'do not need',
  ],
  ['rerunFrom without a resume', { rerunFrom: 'a' }, 'rerunFrom needs resume'],
  ['an override of an unknown stage', { overrides: { e: 'x.parquet' } }, "overrides names no stage 'e'"],
  [
    'an override of a stage that the targets do not need',
    { targets: 'b', overrides: { c: 'x.parquet' } },
    'do not need',
  ],
  ['an override by a file that is not there', { overrides: { a: 'none.parquet' } }, 'none.parquet'],
  ['an unknown option', { numRows: 3 } as never, 'numRows'],
  ['lost rows without a resume', { retryLost: true }, 'retryLost'],
])('%s is refused', (_, options, reason) => {
  let thrown: unknown;
  try {
    planWorkflow(parts, options);
  } catch (error) {
    thrown = error;
  }
  const { message = '', data } = (thrown ?? {}) as { message?: string; data?: unknown };
  expect(`${message} ${JSON.stringify(data)}`).toContain(reason);
});

test('a workflow without stages is refused', () => {
  expect(() => planWorkflow({ ...parts, stages: [] }, {})).toThrow('it has no stages');
});

test('an override that is there replaces the output of its stage', async () => {
  const { mkdtempSync, rmSync } = await import('node:fs');
  const folder = mkdtempSync(join((await import('node:os')).tmpdir(), 'plan-'));
  const file = join(folder, 'x.parquet');
  writeFileSync(file, '');
  expect([...plan({ overrides: { a: file } }).overrides]).toEqual([['a', file]]);
  rmSync(folder, { recursive: true });
});
