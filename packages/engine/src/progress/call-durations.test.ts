import { Random } from '@data-designer/core';
import { expect, test } from 'vitest';
import { CallDurations } from './call-durations.ts';

const random = Random.of(3, 'durations').at(0);
const draw = () => random.float();
const MEDIAN = 1000;
const SPREAD = 1;

function lognormal(): number {
  const radius = Math.sqrt(-2 * Math.log(1 - draw()));
  return MEDIAN * Math.exp(SPREAD * radius * Math.cos(2 * Math.PI * draw()));
}

/** The counts after so many ms, of calls that began together. */
function timesAfter(calls: number, ms: number) {
  const times = Array.from({ length: calls }, lognormal).toSorted((a, b) => a - b);
  return {
    ended: times.filter((time) => time <= ms).map((time) => [time, 1] as const),
    running: times.filter((time) => time > ms).map(() => [ms, 1] as const),
  };
}

test('without an answer nothing is known', () => {
  expect(CallDurations.of({ ended: [], running: [[500, 3]] })).toBeUndefined();
});

test('calls in flight count: when the faster half is answered, the median is known, and the slow tenth is estimated', () => {
  const durations = CallDurations.of(timesAfter(4000, MEDIAN));
  expect(durations?.at(0.5)).toBeGreaterThan(0.85 * MEDIAN);
  expect(durations?.at(0.5)).toBeLessThan(1.15 * MEDIAN);
  // The 90 % quantile of the log-normal distribution is exp(1.2816) medians.
  expect((durations?.at(0.9) ?? 0) / MEDIAN).toBeGreaterThan(3);
  expect((durations?.at(0.9) ?? 0) / MEDIAN).toBeLessThan(4.3);
});

test('equal times stay equal', () => {
  const durations = CallDurations.of({ ended: [[1000, 20]], running: [[300, 5]] });
  expect([0.01, 0.5, 0.999].map((share) => durations?.at(share))).toEqual([1000, 1000, 1000]);
});

test('calls that have just begun do not tell how long they take', () => {
  const durations = CallDurations.of({
    ended: [
      [900, 5],
      [1100, 5],
    ],
    running: [[10, 90]],
  });
  expect(durations?.at(0.9)).toBe(1100);
});

test('a few answers are the fast ones of the calls in flight', () => {
  const durations = CallDurations.of({ ended: [[400, 2]], running: [[400, 30]] });
  expect(durations?.at(0.01)).toBe(400);
  expect(durations?.at(0.5)).toBeGreaterThan(500);
});

test('a call in flight takes longer than so far, also if no answer took as long', () => {
  const durations = CallDurations.of({
    ended: [
      [900, 5],
      [1100, 5],
    ],
    running: [],
  });
  const drawn = Array.from({ length: 200 }, () => durations?.drawBeyond(1000, draw) ?? 0);
  expect(drawn.filter((ms) => ms <= 1000)).toEqual([]);
  expect(Math.max(...drawn)).toBeLessThan(1500);
  const beyond = Array.from({ length: 200 }, () => durations?.drawBeyond(5000, draw) ?? 0);
  expect(beyond.filter((ms) => ms < 5000)).toEqual([]);
  expect(Math.max(...beyond)).toBeLessThan(10_000);
});

/** By how much the medians of resampled durations differ. */
function spreadOfMedians(calls: number): number {
  const durations = CallDurations.of(timesAfter(calls, Infinity));
  const medians = Array.from({ length: 40 }, () => durations?.resampled(draw).at(0.5) ?? 0);
  return Math.max(...medians) / Math.min(...medians);
}

test('durations that are resampled vary, the more the fewer answers there are', () => {
  expect(spreadOfMedians(20)).toBeGreaterThan(1.5);
  expect(spreadOfMedians(400)).toBeLessThan(1.5);
});
