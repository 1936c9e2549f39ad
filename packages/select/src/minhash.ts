import { type BandShape, recallOf, shapeFor } from './band-shape.ts';
import { mix } from './mix.ts';
import type { NGrams } from './ngrams.ts';

/** The most bands of a signature, and hashes in one: 20 to 30 bands down to a similarity of 0.5, fewer above 0.8. */
const MOST: BandShape = { bands: 30, keys: 8 };
/** A bin without a hash. */
const EMPTY = 0x7fffffff;

const bins = new Int32Array(MOST.bands * MOST.keys);
const filled = new Int32Array(bins.length);

/** The bands that find pairs of this Jaccard similarity: a bin of two sets is equal with the probability of their similarity. */
export function minHashShape(similarity: number): BandShape {
  return shapeFor(similarity, MOST);
}

/** The share of the pairs of this Jaccard similarity that are found where it is the threshold. */
export function minHashRecall(similarity: number): number {
  return recallOf(minHashShape(similarity), similarity);
}

/**
 * The band keys of a set of shingles. Each shingle has one hash, which chooses a bin and competes for its minimum; an
 * empty bin copies a filled one that its own number chooses.
 * Sources: Li, Owen, Zhang, "One Permutation Hashing" (NIPS 2012); Shrivastava, "Optimal Densification for Fast and
 * Accurate Minwise Hashing" (ICML 2017).
 */
export function bandKeys({ count, high, low }: NGrams, shape: BandShape): Uint32Array {
  const size = shape.bands * shape.keys;
  bins.fill(EMPTY, 0, size);
  for (let at = 0; at < count; at++) {
    const bin = Math.imul((high[at] ?? 0) >>> 16, size) >>> 16;
    const value = low[at] ?? 0;
    if (value < (bins[bin] ?? 0)) bins[bin] = value;
  }
  for (let bin = 0; bin < size; bin++) filled[bin] = bins[donor(bin, size)] ?? 0;
  const keys = new Uint32Array(shape.bands);
  for (let band = 0; band < shape.bands; band++) {
    let key = band;
    for (let at = band * shape.keys; at < (band + 1) * shape.keys; at++)
      key = mix(Math.imul(key, 31) + (filled[at] ?? 0));
    keys[band] = key;
  }
  return keys;
}

/** The filled bin that a bin takes its hash from: itself, or the first that its number leads to. */
function donor(bin: number, size: number): number {
  let from = bin;
  for (let attempt = 1; bins[from] === EMPTY; attempt++) {
    from = Math.imul(mix(Math.imul(bin + 1, 0x9e3779b1) + attempt) >>> 16, size) >>> 16;
  }
  return from;
}
