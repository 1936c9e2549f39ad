import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { EndpointHealth } from './endpoint-health.ts';

test('an endpoint that has never answered does not count as down', () => {
  expect(new EndpointHealth().isDownSince(0)).toBe(false);
});

test('an endpoint is down since a call if it has not answered after it', () => {
  const health = new EndpointHealth();
  health.answered();
  expect(health.isDownSince(0)).toBe(false);
  expect(health.isDownSince(health.answers)).toBe(true);
  health.answered();
  expect(health.isDownSince(1)).toBe(false);
});

test('after a long outage failures count again', () => {
  const health = new EndpointHealth(0);
  health.answered();
  expect(health.isDownSince(1)).toBe(false);
});

test('the time of refusals counts from the first one since the last answer', async () => {
  const health = new EndpointHealth();
  expect(health.refusingMs).toBe(0);
  health.refused();
  await sleep(20);
  health.refused();
  expect(health.refusingMs).toBeGreaterThan(15);
  health.answered();
  expect(health.refusingMs).toBe(0);
});

test('an endpoint is busy while a request has been in flight for a while', async () => {
  const health = new EndpointHealth();
  const ends = [health.begin(), health.begin()];
  await sleep(300);
  expect(health.isBusyFor(250)).toBe(true);
  ends[0]?.();
  ends[1]?.();
  health.begin();
  expect(health.isBusyFor(250)).toBe(false);
  expect(new EndpointHealth().isBusyFor(0)).toBe(false);
});

test('a model has served once it has answered in this run or an earlier one', () => {
  const [now, before] = [new EndpointHealth(), new EndpointHealth()];
  expect(now.hasServed).toBe(false);
  now.answered();
  before.servedEarlier();
  expect([now.hasServed, before.hasServed, before.answers]).toEqual([true, true, 0]);
});

const CALL = { row: 0, timeoutMs: 60_000, deadlineMs: 60_000 };

/** Makes calls fail while none is answered. */
function failing(calls: number, health = new EndpointHealth()) {
  const keys = Array.from({ length: calls }, () => ({}));
  for (const key of keys) health.failed(key, { isLimit: false });
  return { health, keys };
}

test('an endpoint serves nobody once eight calls have failed and one was given up, whatever the status', () => {
  expect(failing(7).health.servesNobody('failed', CALL)).toBe(false);
  for (const how of ['failed', 'silent', 'limited'] as const) {
    expect(failing(8).health.servesNobody(how, CALL)).toBe(true);
  }
  expect(new EndpointHealth().servesNobody('absent', CALL)).toBe(true);
});

test('an endpoint that has answered in this run is not given up for all calls', () => {
  const { health } = failing(8);
  health.answered();
  failing(8, health);
  expect(health.servesNobody('failed', CALL)).toBe(false);
});

test('until the first answer eight failing calls are retried, and the others wait', async () => {
  const { health, keys } = failing(9);
  expect(keys.map((key) => health.admits(key))).toEqual([...Array<boolean>(8).fill(true), false]);
  const { signal } = new AbortController();
  const waiting = health.admitted(keys[8] as object, signal);
  health.over(keys[0] as object);
  await waiting;
  health.failed(keys[8] as object, { isLimit: false });
  const another = health.admitted({}, signal);
  health.answered();
  await another;
});
