import { type BandShape, RECALL, recallOf } from './band-shape.ts';
import { mix } from './mix.ts';

/** The bits of a sketch. */
export const SKETCH_BITS = 384;
/** Words of the sketch. */
export const SKETCH_WORDS = SKETCH_BITS / 32;
/** The bits of a band at most: more would leave most bands of a million rows with one row. */
const MOST_BITS = 12;

/** Rounds of the rotation: three turn any vector into one without preferred axes. */
const ROUNDS = 3;
const SMALLEST = 512;

/**
 * The sides of hyperplanes on which a vector lies, 32 to a word. The planes are the axes after a fixed pseudo-random
 * rotation: three times random signs and a Walsh-Hadamard transform, n log n steps instead of a product per plane.
 * Source: Andoni, Indyk, Laarhoven, Razenshteyn, Schmidt, "Practical and Optimal LSH for Angular Distance" (2015).
 */
export function sketch(vector: Float32Array): Uint32Array {
  let size = SMALLEST;
  while (size < vector.length) size *= 2;
  const signs = signsOf(size);
  const rotated = new Float64Array(size);
  rotated.set(vector);
  for (let round = 0; round < ROUNDS; round++) {
    for (let at = 0; at < size; at++) rotated[at] = (rotated[at] ?? 0) * (signs[round * size + at] ?? 0);
    transform(rotated);
  }
  const words = new Uint32Array(SKETCH_WORDS);
  for (let bit = 0; bit < SKETCH_BITS; bit++) {
    if ((rotated[bit] ?? 0) >= 0) words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }
  return words;
}

const signsBySize = new Map<number, Float64Array>();

/** The random signs of all rounds, by the size of the vector. */
function signsOf(size: number): Float64Array {
  let signs = signsBySize.get(size);
  if (!signs) {
    signs = Float64Array.from({ length: ROUNDS * size }, (_, at) => (mix(Math.imul(at + 1, 0x9e3779b1)) & 1) * 2 - 1);
    signsBySize.set(size, signs);
  }
  return signs;
}

/** The Walsh-Hadamard transform in place, without its factor. */
function transform(values: Float64Array): void {
  for (let half = 1; half < values.length; half *= 2) {
    for (let start = 0; start < values.length; start += 2 * half) {
      for (let at = start; at < start + half; at++) {
        const a = values[at] ?? 0;
        const b = values[at + half] ?? 0;
        values[at] = a + b;
        values[at + half] = a - b;
      }
    }
  }
}

/** The part of the hyperplanes that does not separate two vectors of this cosine (Goemans and Williamson, 1995). */
export function sameSides(cosine: number): number {
  return 1 - Math.acos(Math.min(1, Math.max(-1, cosine))) / Math.PI;
}

/** The bands of a sketch that find pairs of this cosine: all its bits, in bands of as many as the recall allows. */
export function sketchShape(cosine: number): BandShape {
  for (let keys = MOST_BITS; ; keys--) {
    const shape = { bands: Math.floor(SKETCH_BITS / keys), keys };
    if (recallOf(shape, sameSides(cosine)) >= RECALL || keys === 1) return shape;
  }
}

/** The bits of one band of a sketch. */
export function bandOf(words: Uint32Array, band: number, bits: number): number {
  const bit = band * bits;
  const [word, shift] = [bit >>> 5, bit & 31];
  const upper = shift === 0 ? 0 : (words[word + 1] ?? 0) << (32 - shift);
  return (((words[word] ?? 0) >>> shift) | upper) & ((1 << bits) - 1);
}
