import { expect, test } from 'vitest';
import { until } from '@data-designer/testing/until';
import type { JoinEvent } from './join-event.ts';
import { JoinProgress } from './join-progress.ts';

const part = (folder: string, more: object = {}) => ({
  folder,
  rows: 4,
  openRows: 1,
  openGroups: [2, 3] as readonly number[],
  isClosed: false,
  ...more,
});

test('the rows of all runs count, also of those that are over', () => {
  const progress = new JoinProgress('flow', () => {});
  expect(progress.rows).toBe(0);
  {
    using _ = progress.count([part('a')]);
    const more = [part('b', { rows: 10 })];
    expect(progress.rows).toBe(4);
    const ofSession = progress.count(more);
    expect(progress.rows).toBe(14);
    more.push(part('c', { rows: 100 }));
    expect(progress.rows).toBe(114);
    ofSession[Symbol.dispose]();
    expect(progress.rows).toBe(114);
  }
  expect(progress.rows).toBe(114);
  using _ = progress.count([part('a', { rows: 1 })]);
  expect(progress.rows).toBe(115);
});

test('the rows of open row groups are reported too, and those of runs that this machine has left are not', async () => {
  const events: JoinEvent[] = [];
  const progress = new JoinProgress('flow', (event) => events.push(event));
  {
    using _ = progress.count([part('a'), part('b', { rows: 10, openRows: 5, isClosed: true, openGroups: [7] })]);
    await until(() => events.length > 0);
  }
  expect(events[0]).toEqual({
    type: 'join-progress',
    path: 'flow',
    rows: 15,
    groups: 2,
    runs: [{ path: 'a', rows: 5, groups: 2 }],
  });
});
