import { parseRunConfig } from '@data-designer/config';
import { expect, test } from 'vitest';
import { WorkflowLimits } from './workflow-limits.ts';

const settings = () => parseRunConfig({}, 'The run config', 'camel');
const openThread = () => {
  throw new Error('no thread is needed');
};

test('on a cluster the cost of each run counts once: before the workflow, by its machines, or once it is over', async () => {
  await using limits = new WorkflowLimits({ settings, openThread });
  limits.count('reused', 5);
  const first = limits.shareFor('first');
  const second = limits.shareFor('second');
  // The first stage selects, and had cost 1 before; the second is made at the same time.
  expect([first.spentBefore(1), first.account(1), first.made()]).toEqual([6, 'first 0', {}]);
  expect([second.spentBefore(2), second.account(2), second.made()]).toEqual([8, 'second 0', {}]);
  expect([first.spentBefore(4), first.account(4), first.made()]).toEqual([8, 'first 1', { 'first 0': 3 }]);
  expect([first.spentBefore(1), first.account(1)]).toEqual([8, 'first 0']);
  limits.count('first', 10);
  expect(second.made()).toEqual({ 'first 0': 3, 'first 1': 6 });
  limits.count('second', 2);
  expect(second.made()).toEqual({ 'first 0': 3, 'first 1': 6, 'second 0': 0 });
});

const inAMinute = () => parseRunConfig({ maxDurationSeconds: 60 }, 'The run config', 'camel');
const PLAN = { resources: [], columns: [{ requires: { models: ['m'] } }] } as never;
const LOCAL = { resources: [], columns: [{ requires: { models: [] } }] } as never;

test('a stage that asks models does not begin once the budget of all stages is spent', async () => {
  await using limits = new WorkflowLimits({
    settings: () => parseRunConfig({ maxCost: 5 }, 'The run config', 'camel'),
    openThread,
  });
  limits.count('a', 2);
  limits.count('b', 2.9);
  limits.count('unpriced', null);
  expect(limits.endBefore(PLAN)).toBeUndefined();
  limits.count('b', 3);
  expect(limits.endBefore(PLAN)).toMatchObject({ code: 'run/budget-spent' });
  expect(limits.endBefore(LOCAL)).toBeUndefined();
});

test('no stage begins once the time of all stages is spent, that of an earlier coordinator included', async () => {
  await using limits = new WorkflowLimits({ settings: inAMinute, openThread }, { spentSeconds: 61 });
  expect(limits.elapsedSeconds).toBeGreaterThanOrEqual(61);
  expect(limits.endBefore(LOCAL)).toMatchObject({ code: 'run/time-spent' });
  await using begun = new WorkflowLimits({ settings: inAMinute, openThread }, { spentSeconds: 5 });
  expect(begun.endBefore(LOCAL)).toBeUndefined();
  expect(begun.elapsedSeconds).toBeLessThan(60);
});

test('stages share one thread, which knows what the others have cost', async () => {
  const spent: (readonly [string, number])[] = [];
  let opened = 0;
  const thread = {
    spend: (account: string, cost: number) => spent.push([account, cost]),
    [Symbol.asyncDispose]: async () => {},
  };
  const open = (): never => {
    opened++;
    return thread as never;
  };
  await using limits = new WorkflowLimits({ settings, openThread: open });
  expect(limits.threadFor('none', LOCAL)).toBeUndefined();
  limits.count('before', 4);
  const plan = { resources: [{ id: 'r' }] } as never;
  expect(limits.threadFor('a', plan)?.account).toBe('a');
  expect(limits.threadFor('b', plan)?.account).toBe('b');
  limits.count('a', 2);
  expect([opened, spent]).toEqual([
    1,
    [
      ['before', 4],
      ['a', 2],
    ],
  ]);
});
