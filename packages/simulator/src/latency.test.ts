import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { readLatency } from './latency.ts';

function draw(spec: string, count: number): number[] {
  const latency = readLatency(spec);
  const random = Random.of(1, spec);
  return Array.from({ length: count }, (_, row) => latency?.(random.at(row)) ?? Number.NaN).toSorted((a, b) => a - b);
}

test('a plain number is always that many milliseconds', () => {
  expect(draw('200', 3)).toEqual([200, 200, 200]);
});

test('a uniform latency covers its range and stays inside', () => {
  const drawn = draw('uniform:100:300', 2_000);
  expect(drawn.at(0)).toBeGreaterThanOrEqual(100);
  expect(drawn.at(0)).toBeLessThan(102);
  expect(drawn.at(-1)).toBeLessThanOrEqual(300);
  expect(drawn.at(-1)).toBeGreaterThan(298);
});

test('a lognormal latency has the median it names and the spread of its sigma', () => {
  const drawn = draw('lognormal:200:0.5', 20_000);
  expect(drawn[10_000]).toBeGreaterThan(190);
  expect(drawn[10_000]).toBeLessThan(210);
  const upper = Math.log((drawn[16_827] ?? 0) / 200);
  expect(upper).toBeGreaterThan(0.47);
  expect(upper).toBeLessThan(0.53);
});

test.each(['', 'soon', '-1', 'uniform:1', 'uniform:3:1', 'lognormal:a:b', 'constructor:1:2', '1:2'])(
  'refuses the latency %j',
  (spec) => {
    expect(readLatency(spec)).toBeUndefined();
  },
);
