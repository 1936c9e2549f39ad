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

const GIVEN_UP = { how: 'failed', timeoutMs: 60_000, deadlineMs: 60_000 } as const;

/** Calls that fail while nobody is answered. */
function failing(calls: number, service = new Service()) {
  const keys = Array.from({ length: calls }, () => ({}));
  for (const key of keys) service.failed(key, { isLimit: false });
  return { service, keys };
}

test('an endpoint serves nobody once eight calls have failed and one was given up, whatever the status', () => {
  expect(failing(7).service.servesNobody(GIVEN_UP)).toBe(false);
  for (const how of ['failed', 'silent', 'limited'] as const) {
    expect(failing(8).service.servesNobody({ ...GIVEN_UP, how })).toBe(true);
  }
  expect(new Service().servesNobody({ ...GIVEN_UP, how: 'absent' })).toBe(true);
});

test('an endpoint that has answered somebody in this run is not given up for all', () => {
  const { service } = failing(8);
  service.answered();
  failing(8, service);
  expect(service.servesNobody(GIVEN_UP)).toBe(false);
});

test('until somebody is answered eight failing calls are tried again, and the others wait', async () => {
  const { service, keys } = failing(9);
  expect(keys.map((key) => service.admits(key))).toEqual([...Array<boolean>(8).fill(true), false]);
  const { signal } = new AbortController();
  const waiting = service.admitted(keys[8] as object, signal);
  service.over(keys[0] as object);
  await waiting;
  service.failed(keys[8] as object, { isLimit: false });
  const another = service.admitted({}, signal);
  service.answered();
  await another;
});
