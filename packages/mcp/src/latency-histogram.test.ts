import { expect, test } from 'vitest';
import { addLatencies, countLatency, latencyQuantile } from './latency-histogram.ts';

const histogram = (...times: readonly number[]): number[] => {
  const counts: number[] = [];
  for (const time of times) countLatency(counts, time);
  return counts;
};

test('quantiles are at most a fifth above the exact value', () => {
  const times = Array.from({ length: 1_000 }, (_, index) => index + 1);
  const counts = histogram(...times);
  for (const [share, time] of [
    [0.5, 500],
    [0.95, 950],
    [0.99, 990],
  ] as const) {
    const found = latencyQuantile(counts, share, 1_000) as number;
    expect(found).toBeGreaterThanOrEqual(time);
    expect(found).toBeLessThanOrEqual(Math.min(time * 1.2, 1_000));
  }
});

test('a quantile is never above the longest time', () => {
  expect(latencyQuantile(histogram(130), 0.95, 130)).toBe(130);
  expect(latencyQuantile(histogram(0, 0.2), 0.5, 0)).toBe(0);
});

test('there is no quantile without calls', () => {
  expect(latencyQuantile([], 0.5, 0)).toBeNull();
});

test('adding histograms gives the histogram of all times', () => {
  const total = histogram(3, 900);
  addLatencies(total, histogram(1, 40_000, 1e12));
  expect(total).toEqual(histogram(1, 3, 900, 40_000, 1e12));
  addLatencies(total, histogram(3));
  expect(total).toEqual(histogram(1, 3, 3, 900, 40_000, 1e12));
});

test('the histogram stays small for any time', () => {
  expect(histogram(1e15).length).toBeLessThan(100);
});
