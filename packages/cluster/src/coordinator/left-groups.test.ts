import { expect, test } from 'vitest';
import type { RowGroup } from '@data-designer/core';
import type { Timing } from '../timing.ts';
import { LeftGroups } from './left-groups.ts';

const group = (index: number) => ({ index }) as RowGroup;

function open(
  total: number,
  { committed = new Set<number>(), taken = new Set<number>(), beatMs = 0, reconnectMs = 0 } = {},
) {
  const queued = new Set<number>();
  const calls = { listed: 0, requested: 0, checked: [] as number[] };
  const left: LeftGroups = new LeftGroups({
    queue: {
      groups: async () => {
        calls.listed++;
        return [...queued];
      },
      add: async (groups) => {
        for (const one of groups) queued.add(one);
      },
    },
    timing: { beatMs, reconnectMs } as Timing,
    isTaken: async (index) => taken.has(index),
    checkCommitted: async (index) => {
      calls.checked.push(index);
      if (committed.has(index)) left.delete(index);
    },
    requestReports: async () => void calls.requested++,
  });
  left.begin(Array.from({ length: total }, (_, index) => group(index)));
  return { left, queued, calls, committed };
}

test('all groups that are not committed are queued once, and the run is over when none is left', async () => {
  const { left, queued, calls } = open(4, { committed: new Set([1]) });
  expect(left.isEmpty).toBe(false);
  expect(await left.fill(0, new Set())).toBe(3);
  expect([...queued]).toEqual([0, 2, 3]);
  expect([left.has(1), left.has(2), [...left].length]).toEqual([false, true, 3]);
  expect(await left.fill(3, new Set())).toBe(0);
  expect(calls.listed).toBe(0);
  for (const one of [0, 2, 3]) expect(left.delete(one)).toBe(true);
  expect(left.delete(0)).toBe(false);
  expect(left.isEmpty).toBe(true);
});

test('a group that a machine has begun is not queued before it was found nowhere', async () => {
  const { left, queued, calls } = open(3, { taken: new Set([1]) });
  expect(await left.fill(0, new Set())).toBe(2);
  expect([...queued]).toEqual([0, 2]);
  expect(left.has(1)).toBe(true);
  for (const added of [0, 0, 1]) expect(await left.fill(2, new Set())).toBe(added);
  expect([calls.requested, queued.has(1)]).toEqual([1, true]);
});

test('a group is not queued again while machines may still be connecting to Redis', async () => {
  const { left, queued, calls } = open(2, { reconnectMs: Infinity });
  await left.fill(0, new Set());
  queued.delete(1);
  for (let poll = 0; poll < 5; poll++) expect(await left.fill(1, new Set())).toBe(0);
  // Each further poll asks the machines before.
  expect(calls.requested).toBe(4);
});

test('a run without groups is over once that is known', async () => {
  const { left } = open(0);
  expect(left.isEmpty).toBe(false);
  expect(await left.fill(0, new Set())).toBe(0);
  expect(left.isEmpty).toBe(true);
});

test('groups that a machine has open, or that wait already, are not queued again', async () => {
  const { left, queued } = open(3);
  queued.add(2);
  await left.fill(1, new Set([0]));
  expect([...queued]).toEqual([2, 1]);
});

test('the queue has at most 10,000 groups that wait', async () => {
  const { left, queued } = open(10_050);
  expect(await left.fill(0, new Set())).toBe(10_000);
  for (const index of [0, 1, 2]) {
    left.delete(index);
    queued.delete(index);
  }
  expect(await left.fill(9997, new Set())).toBe(3);
  expect(queued.has(10_002)).toBe(true);
  expect(queued.has(10_003)).toBe(false);
});

test('a group that is found nowhere three times in a row is queued again, after all machines have reported', async () => {
  const { left, queued, calls } = open(3);
  await left.fill(0, new Set());
  queued.delete(1);
  expect(await left.fill(1, new Set([0]))).toBe(0);
  expect(calls.requested).toBe(0);
  expect(await left.fill(1, new Set([0]))).toBe(0);
  expect([calls.requested, queued.has(1)]).toEqual([1, false]);
  expect(await left.fill(1, new Set([0]))).toBe(1);
  expect([calls.requested, queued.has(1)]).toEqual([1, true]);
});

test('a group that is found in between, or committed, is not queued again', async () => {
  const { left, queued, committed } = open(3);
  await left.fill(0, new Set());
  queued.delete(1);
  await left.fill(1, new Set([0]));
  await left.fill(1, new Set([0]));
  await left.fill(2, new Set([0, 1]));
  await left.fill(1, new Set([0]));
  expect(await left.fill(1, new Set([0]))).toBe(0);
  committed.add(1);
  expect(await left.fill(1, new Set([0]))).toBe(0);
  expect([left.has(1), queued.has(1)]).toEqual([false, false]);
});

test('the queue is compared at most every few beats', async () => {
  const { left, queued, calls } = open(2, { beatMs: 1e6 });
  await left.fill(0, new Set());
  queued.delete(1);
  for (let poll = 0; poll < 5; poll++) await left.fill(1, new Set());
  expect(calls.requested).toBe(0);
  expect(queued.has(1)).toBe(false);
});
