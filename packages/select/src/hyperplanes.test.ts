import { expect, test } from 'vitest';
import { bandOf, sketch, SKETCH_BITS, SKETCH_WORDS } from './hyperplanes.ts';

/** A vector of so many numbers between -1 and 1. */
const vector = (length: number) => Float32Array.from({ length }, (_, at) => Math.sin(1.7 * at + 1));
const bits = (words: Uint32Array) =>
  [...words].flatMap((word) => Array.from({ length: 32 }, (_, bit) => (word >>> bit) & 1));

test.each([1, 512, 513, 1536])('the sketch of %i numbers tells a vector from its opposite', (length) => {
  const words = sketch(vector(length));
  expect(words).toHaveLength(SKETCH_WORDS);
  const opposite = bits(sketch(vector(length).map((one) => -one)));
  expect(bits(words).filter((bit, at) => bit === opposite[at])).toEqual([]);
  const ones = bits(words).reduce((sum, bit) => sum + bit, 0);
  expect(ones).toBeGreaterThan(SKETCH_BITS / 4);
  expect(ones).toBeLessThan((3 * SKETCH_BITS) / 4);
});

test('a vector on a plane lies on its upper side', () => {
  expect(bits(sketch(new Float32Array(4)))).toEqual(Array.from({ length: SKETCH_BITS }, () => 1));
});

test('a band has its bits, also across two words', () => {
  const words = new Uint32Array(SKETCH_WORDS);
  [words[0], words[1]] = [0x8000_0005, 0b110];
  expect([bandOf(words, 0, 4), bandOf(words, 3, 10), bandOf(words, 1, 32 / 4), bandOf(words, 4, 8)]).toEqual([
    5, 0b1_1010, 0, 6,
  ]);
});
