/** How a signature is cut: two rows are compared if all keys of a band are equal. */
export interface BandShape {
  readonly bands: number;
  /** The keys of a band. More keys leave fewer pairs below the threshold to compare, and need more bands. */
  readonly keys: number;
}

/** The share of the pairs at the threshold that a shape must find; somewhat more than is promised, as hashes are not ideal. */
export const RECALL = 0.97;
const FEWEST_KEYS = 2;

/** The probability that two rows share a band, if each key of theirs is equal with probability `equal`. */
export function recallOf({ bands, keys }: BandShape, equal: number): number {
  return 1 - (1 - equal ** keys) ** bands;
}

/** The shape with the most keys in a band that finds the pairs whose keys are equal with probability `equal`. */
export function shapeFor(equal: number, most: BandShape): BandShape {
  for (let keys = most.keys; ; keys--) {
    const missed = Math.log(1 - RECALL) / Math.log(1 - Math.min(equal, 1 - Number.EPSILON) ** keys);
    const bands = Math.max(1, Math.ceil(missed));
    if (bands <= most.bands || keys <= FEWEST_KEYS) return { bands: Math.min(bands, most.bands), keys };
  }
}
