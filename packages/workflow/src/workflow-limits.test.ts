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
