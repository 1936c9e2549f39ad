import { expect, test } from 'vitest';
import { permute } from './random.ts';

test('the permutation maps no two integers to the same one', { tags: 'long' }, () => {
  const taken = new Set<number>();
  for (let value = 0; value < 300_000; value++) taken.add(permute(value, 12, 34));
  for (let value = 2 ** 32 - 100_000; value < 2 ** 32; value++) taken.add(permute(value, 12, 34));
  expect(taken.size).toBe(400_000);
});

test('results are integers from 0 to 2^32 - 1, about half of them in the upper half', () => {
  const places = Array.from({ length: 10_000 }, (_, value) => permute(value, -7, 0x7fffffff));
  expect(places.every((place) => Number.isInteger(place) && place >= 0 && place < 2 ** 32)).toBe(true);
  const upper = places.filter((place) => place >= 2 ** 31).length;
  expect(Math.abs(upper - 5000)).toBeLessThan(200);
});

const VALUES = Array.from({ length: 500 }, (_, index) => Math.imul(index, 0x9e3779b1) >>> 0);

test.each<[string, (value: number, flip: number) => number]>([
  ['the value', (value, flip) => permute((value ^ flip) >>> 0, 1, 2)],
  ['the first key', (value, flip) => permute(value, 1 ^ flip, 2)],
  ['the second key', (value, flip) => permute(value, 1, 2 ^ flip)],
])('each bit of %s changes about half of the bits of the result', (_, changed) => {
  for (let bit = 0; bit < 32; bit++) {
    const counts = VALUES.map((value) => bitsSet(permute(value, 1, 2) ^ changed(value, 1 << bit)));
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    expect(Math.abs(mean - 16)).toBeLessThan(1.2);
  }
});

function bitsSet(word: number): number {
  let count = 0;
  for (let left = word >>> 0; left !== 0; left &= left - 1) count++;
  return count;
}
