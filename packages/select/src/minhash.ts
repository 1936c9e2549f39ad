import { mix } from './mix.ts';
import type { NGrams } from './ngrams.ts';

/** Bands of a signature, and rows of a band: pairs of Jaccard similarity s share a band with 1 - (1 - s^8)^14. */
export const BANDS = 14;
const BAND_ROWS = 8;
const BINS = BANDS * BAND_ROWS;
/** A bin without a hash. */
const EMPTY = 0x7fffffff;

const bins = new Int32Array(BINS);
const filled = new Int32Array(BINS);

/**
 * The band keys of a set of shingles. Each shingle has one hash, which chooses a bin and competes for its minimum; an
 * empty bin copies a filled one that its own number chooses.
 * Sources: Li, Owen, Zhang, "One Permutation Hashing" (NIPS 2012); Shrivastava, "Optimal Densification for Fast and
 * Accurate Minwise Hashing" (ICML 2017).
 */
export function bandKeys({ count, high, low }: NGrams): Uint32Array {
  bins.fill(EMPTY);
  for (let at = 0; at < count; at++) {
    const bin = Math.imul((high[at] ?? 0) >>> 16, BINS) >>> 16;
    const value = low[at] ?? 0;
    if (value < (bins[bin] ?? 0)) bins[bin] = value;
  }
  for (let bin = 0; bin < BINS; bin++) filled[bin] = bins[donor(bin)] ?? 0;
  const keys = new Uint32Array(BANDS);
  for (let band = 0; band < BANDS; band++) {
    let key = band;
    for (let row = 0; row < BAND_ROWS; row++) {
      key = mix(Math.imul(key, 31) + (filled[band * BAND_ROWS + row] ?? 0));
    }
    keys[band] = key;
  }
  return keys;
}

/** The filled bin that a bin takes its hash from: itself, or the first that its number leads to. */
function donor(bin: number): number {
  let from = bin;
  for (let attempt = 1; bins[from] === EMPTY; attempt++) {
    from = Math.imul(mix(Math.imul(bin + 1, 0x9e3779b1) + attempt) >>> 16, BINS) >>> 16;
  }
  return from;
}
