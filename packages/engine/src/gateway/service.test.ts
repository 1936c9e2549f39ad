import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Service } from './service.ts';

test('an endpoint that has never answered is not waited for', () => {
  expect(new Service().isDownSince(0)).toBe(false);
});

test('an endpoint is down for those who have seen its last answer', () => {
  const service = new Service();
  service.answered();
  expect(service.isDownSince(0)).toBe(false);
  expect(service.isDownSince(service.answers)).toBe(true);
  service.answered();
  expect(service.isDownSince(1)).toBe(false);
});

test('after a long outage failures count again', () => {
  const service = new Service(0);
  service.answered();
  expect(service.isDownSince(1)).toBe(false);
});

test('for how long everybody is refused is told from the first refusal since the last answer', async () => {
  const service = new Service();
  expect(service.refusingMs).toBe(0);
  service.refused();
  await sleep(20);
  service.refused();
  expect(service.refusingMs).toBeGreaterThan(15);
  service.answered();
  expect(service.refusingMs).toBe(0);
});

test('a request that is under way for long is being worked on', async () => {
  const service = new Service();
  const ends = [service.begin(), service.begin()];
  await sleep(300);
  expect(service.isBusyFor(250)).toBe(true);
  ends[0]?.();
  ends[1]?.();
  service.begin();
  expect(service.isBusyFor(250)).toBe(false);
  expect(new Service().isBusyFor(0)).toBe(false);
});

test('a model has served once anybody was answered, in this run or before', () => {
  const [now, before] = [new Service(), new Service()];
  expect(now.hasServed).toBe(false);
  now.answered();
  before.servedEarlier();
  expect([now.hasServed, before.hasServed, before.answers]).toEqual([true, true, 0]);
});
