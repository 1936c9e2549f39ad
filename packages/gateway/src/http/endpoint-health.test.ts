import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DataDesignerError } from '@data-designer/core';
import { EndpointHealth } from './endpoint-health.ts';

const OUTAGE_MS = 300_000;

/** The health of an endpoint, and a clock that a test sets. */
function timed() {
  const clock = { ms: 0, now: () => clock.ms };
  return { clock, health: new EndpointHealth(clock) };
}

test('an endpoint that has never answered does not count as down', () => {
  expect(new EndpointHealth().isDownSince(0, OUTAGE_MS)).toBe(false);
});

test.each(['in this run', 'in an earlier run'])('an endpoint that has answered %s is down until it answers', (when) => {
  const { clock, health } = timed();
  if (when === 'in this run') health.answered();
  else health.servedEarlier();
  const { answers } = health;
  clock.ms = 7_000_000;
  expect(health.isDownSince(answers, OUTAGE_MS)).toBe(true);
  health.answered();
  expect(health.isDownSince(answers, OUTAGE_MS)).toBe(false);
});

test('an outage counts from the first failure after the last answer', () => {
  const { clock, health } = timed();
  health.answered();
  clock.ms = 400_000;
  health.failing({});
  clock.ms = 500_000;
  health.failing({});
  expect(health.isDownSince(1, OUTAGE_MS)).toBe(true);
  clock.ms = 700_000;
  expect(health.isDownSince(1, OUTAGE_MS)).toBe(false);
  health.answered();
  expect([health.failingMs, health.isDownSince(2, OUTAGE_MS)]).toEqual([0, true]);
});

test('few failing calls are waited for as long as their number makes an outage likely', () => {
  const health = new EndpointHealth();
  const longest = [1, 2, 3, 4, 5, 6, 29, 30, 31].map((calls) => {
    health.answered();
    for (let call = 0; call < calls; call++) health.failing({});
    return health.outageMs(OUTAGE_MS, false) / 1000;
  });
  expect(longest).toEqual([30, 30, 30, 40, 50, 60, 290, 300, 300]);
  expect(health.outageMs(60_000, false)).toBe(60_000);
});

test('a failing call is waited for longer while other calls wait or are in flight', () => {
  const health = new EndpointHealth();
  const call = {};
  const end = health.begin(call);
  health.failing(call);
  expect([health.outageMs(OUTAGE_MS, false), health.outageMs(OUTAGE_MS, true)]).toEqual([30_000, OUTAGE_MS]);
  end();
  const endOther = health.begin({});
  expect(health.outageMs(OUTAGE_MS, false)).toBe(OUTAGE_MS);
  endOther();
  expect(health.outageMs(OUTAGE_MS, false)).toBe(30_000);
});

test('a call is waited for longer while a request that was answered before fails', () => {
  const { clock, health } = timed();
  health.answered();
  health.failing({});
  health.control.ended(false);
  clock.ms = 300_000;
  expect([health.outageMs(OUTAGE_MS, false), health.servesNobody('failed', CALL)]).toEqual([OUTAGE_MS, true]);
  health.answered();
  health.failing({});
  expect(health.outageMs(OUTAGE_MS, false)).toBe(30_000);
});

test('an endpoint serves nobody once eight calls have failed for five minutes since its last answer', () => {
  const ends = [7, 8].map((calls) => {
    const { clock, health } = timed();
    health.answered();
    for (let call = 0; call < calls; call++) health.failing({});
    clock.ms = 299_999;
    const early = health.servesNobody('failed', CALL);
    clock.ms = 300_000;
    const late = (['failed', 'silent', 'limited'] as const).map((how) => health.servesNobody(how, CALL));
    health.answered();
    return [early, ...late, health.servesNobody('failed', CALL)];
  });
  expect(ends).toEqual([
    [false, false, false, false, false],
    [false, true, true, false, false],
  ]);
});

test('the end of a run at an endpoint that stays down names the time without an answer', () => {
  const failure = new DataDesignerError('model/server-error', { model: 'm', status: 503, reason: 'busy' });
  const { clock, health } = timed();
  health.answered();
  for (let call = 0; call < 8; call++) health.failing({});
  clock.ms = 312_000;
  const { message } = health.failAll(failure);
  expect(message).toContain('It has answered no request for 312 seconds. Resume once');
  expect(health.end).toMatchObject({ message, data: { tries: { requests: 0 } } });
  expect(new EndpointHealth().failAll(failure).message).toContain('No request of this run has succeeded.');
});

test('an endpoint that has answered an earlier run may answer again while fewer than eight calls have failed', () => {
  const { health } = failing(7);
  expect(health.mayAnswerAgain).toBe(false);
  health.servedEarlier();
  expect(health.mayAnswerAgain).toBe(true);
  failing(1, health);
  expect(health.mayAnswerAgain).toBe(false);
  health.answered();
  expect(health.mayAnswerAgain).toBe(true);
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

test('a pause that the endpoint asked for counts for a call that has waited since before its end', () => {
  const clock = { ms: 0, now: () => clock.ms };
  const health = new EndpointHealth(clock);
  expect(health.askedPauseMs(1000)).toBe(0);
  health.refused(100);
  health.refused(10);
  health.refused();
  clock.ms = 150;
  expect([health.pauseMs, health.askedPauseMs(60), health.askedPauseMs(40)]).toEqual([0, 100, 0]);
  expect(health.askedUntil).toBeGreaterThan(Date.now());
  health.answered();
  expect(health.askedUntil).toBeUndefined();
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
