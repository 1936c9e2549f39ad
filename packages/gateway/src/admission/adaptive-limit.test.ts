import { expect, test } from 'vitest';
import { AdaptiveLimit, ADMISSION_SETTINGS, type AdmissionSettings } from './adaptive-limit.ts';
import { ANSWERED, type Grant, OTHER } from './permit-source.ts';

const SMALL = { cap: 20, settings: {} };

/** A limit of 20 with all permits taken, and functions that end their requests. */
function full({ cap, settings }: { cap: number; settings: Partial<AdmissionSettings> } = SMALL) {
  const limit = new AdaptiveLimit(cap, { ...ADMISSION_SETTINGS, ...settings });
  let inFlight = 0;
  const grant = () => limit.grant(++inFlight);
  const grants = Array.from({ length: cap }, () => grant());
  const refuse = (given: Grant, { time = 10, retryAfterMs }: { time?: number; retryAfterMs?: number } = {}) =>
    limit.end(given, { kind: 'refused', retryAfterMs }, { inFlight: --inFlight, time });
  const answer = (given: Grant, time = 10) => limit.end(given, ANSWERED, { inFlight: --inFlight, time });
  return { limit, grants, grant, refuse, answer };
}

test('a burst of refusals lowers the limit once, to a share of the served requests', () => {
  const { limit, grants, refuse } = full();
  limit.permits(0);
  for (const given of grants.slice(16)) refuse(given);
  expect(limit.size).toBe(12);
  const half = full({ cap: 20, settings: { multiplicativeDecreaseFactor: 0.5 } });
  for (const given of half.grants.slice(16)) half.refuse(given);
  expect(half.limit.size).toBe(8);
});

test('a refused request from before a confirmed decrease does not lower the limit again', () => {
  const { limit, grants, grant, refuse, answer } = full();
  const [late, ...others] = grants as [Grant, ...Grant[]];
  refuse(others.pop() as Grant);
  for (const given of others.splice(0, 8)) answer(given);
  answer(grant());
  const { size } = limit;
  refuse(late);
  expect(limit.size).toBe(size);
});

test('answers raise the limit to the ceiling, and above it after a quiet time', () => {
  const { limit, grants, grant, refuse, answer } = full();
  for (const given of grants.splice(16)) refuse(given);
  const step = (time: number): void => {
    answer(grants.shift() as Grant, time);
    while (grants.length < limit.permits(time)) grants.push(grant());
  };
  for (let answers = 0; answers < 100; answers++) step(1000);
  expect(limit.size).toBe(16);
  for (let answers = 0; answers < 24; answers++) step(3000);
  expect(limit.size).toBe(16);
  step(3000);
  expect(limit.size).toBe(17);
  for (let answers = 0; answers < 200; answers++) step(3000);
  expect(limit.size).toBe(20);
});

test('Retry-After pauses all requests for its duration, and a later, shorter one does not shorten the pause', () => {
  const { limit, grants, refuse } = full();
  const [first, second] = grants as [Grant, Grant];
  refuse(first, { time: 0, retryAfterMs: 90_000 });
  refuse(second, { time: 10, retryAfterMs: 1000 });
  expect(limit.permits(89_999)).toBe(0);
  expect(limit.untilMore(80_000)).toBe(10_000);
  expect(limit.permits(90_000)).toBe(limit.size);
});

test('a refusal without Retry-After lowers the limit without a pause', () => {
  const { limit, grants, refuse } = full();
  refuse(grants[0] as Grant);
  expect(limit.permits(11)).toBe(limit.size);
});

test('after a refused burst the pause starts at the cooldown and doubles, and the ceiling stays', () => {
  const { limit, grants, grant, refuse, answer } = full({ cap: 20, settings: { cooldownSeconds: 3 } });
  for (const given of grants) refuse(given, { time: 0 });
  expect([limit.permits(2999), limit.permits(3000)]).toEqual([0, 1]);
  refuse(grant(), { time: 3000 });
  expect([limit.permits(8999), limit.permits(9000)]).toEqual([0, 1]);
  for (let answers = 0; answers < 19; answers++) answer(grant(), 9000);
  expect(limit.size).toBe(20);
});

test('one refusal while earlier requests are served causes no pause, a second one in a row does', () => {
  const { limit, grants, grant, refuse, answer } = full();
  for (const given of grants.splice(16)) refuse(given);
  for (const given of grants.splice(8)) answer(given);
  refuse(grant());
  expect([limit.permits(11), limit.size]).toEqual([6, 6]);
  refuse(grant());
  expect(limit.permits(11)).toBe(0);
});

test('refused requests from before a pause do not extend it', () => {
  const { limit, grants, grant, refuse } = full({ cap: 20, settings: { cooldownSeconds: 3 } });
  const [first, ...others] = grants as [Grant, ...Grant[]];
  refuse(first, { time: 0 });
  const later = [grant(), grant(), grant()];
  for (const given of others) refuse(given, { time: 0 });
  for (const given of later) refuse(given, { time: 0 });
  expect([limit.permits(2999), limit.permits(3000)]).toEqual([0, 1]);
});

test('other endings, such as server errors, do not change the limit', () => {
  const { limit, grants } = full();
  grants.forEach((given, index) => limit.end(given, OTHER, { inFlight: grants.length - index - 1, time: 10 }));
  expect(limit.size).toBe(20);
});

test('a configured startup ramp rises linearly and ends with the first refusal', () => {
  const limit = new AdaptiveLimit(100, { ...ADMISSION_SETTINGS, startupRampSeconds: 10 });
  expect([0, 1000, 5000].map((time) => limit.permits(time))).toEqual([1, 10, 50]);
  expect(limit.untilMore(5000)).toBeCloseTo(101);
  const [given] = Array.from({ length: 50 }, (_, before) => limit.grant(before + 1));
  limit.end(given as Grant, { kind: 'refused', retryAfterMs: undefined }, { inFlight: 49, time: 5000 });
  expect(limit.permits(9000)).toBe(Math.floor(49 * 0.75));
});

test('an answer does not raise the limit if requests did not fill it', () => {
  const { limit, grants, grant, refuse, answer } = full();
  for (const given of grants.splice(16)) refuse(given);
  for (const given of grants) answer(given);
  for (let answers = 0; answers < 200; answers++) answer(grant(), 60_000);
  expect(limit.size).toBe(16);
});
