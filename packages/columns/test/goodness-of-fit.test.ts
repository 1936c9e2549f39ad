import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { chiSquared, kolmogorovSmirnov } from './goodness-of-fit.ts';

const random = Random.of(3, 'goodness');
const uniforms = Float64Array.from({ length: 20_000 }, (_, row) => random.at(row).float());
const bounds = Array.from({ length: 49 }, (_, at) => (at + 1) / 50);

test('the Kolmogorov-Smirnov statistic is the greatest gap between the steps and the curve', () => {
  expect(kolmogorovSmirnov(Float64Array.of(0.5, 0.1), (x) => x)).toBeCloseTo(0.5 * Math.SQRT2, 12);
  expect(kolmogorovSmirnov(Float64Array.of(0.25, 0.75), (x) => x)).toBeCloseTo(0.25 * Math.SQRT2, 12);
});

test('uniform draws agree with their distribution', () => {
  expect(kolmogorovSmirnov(uniforms, (x) => x)).toBeLessThan(1.95);
  expect(chiSquared(uniforms, (x) => x, bounds).score).toBeLessThan(3.1);
});

test('both statistics detect draws that are off by a hundredth', () => {
  const shifted = uniforms.map((x) => x ** 1.05);
  expect(kolmogorovSmirnov(shifted, (x) => x)).toBeGreaterThan(2.23);
  expect(chiSquared(shifted, (x) => x, bounds).score).toBeGreaterThan(3.7);
});

test('cells with few expected draws are merged with the next, the last with the previous one', () => {
  const draws = Float64Array.from({ length: 1000 }, (_, at) => (at + 0.5) / 1000);
  expect(chiSquared(draws, (x) => x, [0.001, 0.5, 0.999])).toMatchObject({ statistic: 0, degrees: 1 });
});

test('a single cell scores 0 if it has all draws, and infinity otherwise', () => {
  expect(chiSquared(Float64Array.of(5, 5), (x) => (x < 5 ? 0 : 1), [5]).score).toBe(0);
  expect(chiSquared(Float64Array.of(5, 6), (x) => (x < 5 ? 0 : 1), [5]).score).toBe(Infinity);
});
