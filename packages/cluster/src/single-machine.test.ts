import { expect, test } from 'vitest';
import type { Plan } from '@data-designer/core';
import { refuseIdle, singleMachineTools } from './single-machine.ts';

const planOf = (...tools: readonly object[]) =>
  ({ tools: Object.fromEntries(tools.map((tool, index) => [index, tool])) }) as unknown as Pick<Plan, 'tools'>;

const SHARED = planOf({ alias: 'web', singleMachine: false });
const SINGLE = planOf({ alias: 'web', singleMachine: false }, { alias: 'desk', singleMachine: true });

test('a coordinator that makes no groups is refused where no other machine may make them', () => {
  expect(singleMachineTools(SINGLE)).toEqual(['desk']);
  expect(() => refuseIdle(SINGLE, { work: false })).toThrow(
    expect.objectContaining({ code: 'cluster/single-machine', data: { alias: 'desk' } }) as Error,
  );
  for (const [plan, options] of [
    [SINGLE, {}],
    [SINGLE, { work: true }],
    [SHARED, { work: false }],
  ] as const)
    expect(() => refuseIdle(plan, options)).not.toThrow();
});
