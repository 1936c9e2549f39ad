import type { Random } from '@data-designer/core';

const MAX_COUNTS = 4096;
/** A draw cannot reach counts this much less probable than the mode. */
const NEGLIGIBLE = 1e-20;

/** A unimodal distribution of integers, by the ratios of neighbouring probabilities. */
export interface Peak {
  readonly lowest: number;
  readonly highest: number;
  /** The most probable count. */
  readonly mode: number;
  /** The probability of `count + 1` over that of `count`. */
  readonly ratio: (count: number) => number;
}

/** Draws from a guide table; undefined if it would be too long. Source: Chen and Asau, AIIE Trans. 6 (1974). */
export function tableDraw(peak: Peak): ((random: Random) => number) | undefined {
  const weights = weightsAround(peak);
  if (!weights) return undefined;
  const { first, bounds } = weights;
  const size = 2 ** Math.ceil(Math.log2(bounds.length));
  const guide = new Uint16Array(size);
  for (let at = 0, count = 0; at < size; at++) {
    while ((bounds[count] ?? 1) <= at / size) count++;
    guide[at] = count;
  }
  return (random) => {
    const u = random.float();
    let at = guide[Math.floor(u * size)] ?? 0;
    while (u >= (bounds[at] ?? 1)) at++;
    return first + at;
  };
}

/** The reachable counts from the first on, with the cumulative probabilities. */
function weightsAround({ lowest, highest, mode, ratio }: Peak) {
  const up: number[] = [1];
  for (let count = mode, weight = 1; count < highest; count++) {
    weight *= ratio(count);
    if (weight < NEGLIGIBLE) break;
    if (up.push(weight) > MAX_COUNTS) return undefined;
  }
  const down: number[] = [];
  for (let count = mode - 1, weight = 1; count >= lowest; count--) {
    weight /= ratio(count);
    if (weight < NEGLIGIBLE) break;
    if (down.push(weight) > MAX_COUNTS) return undefined;
  }
  let sum = 0;
  const sums = [...down.toReversed(), ...up].map((weight) => (sum += weight));
  const bounds = Float64Array.from(sums, (upTo) => upTo / sum);
  bounds[bounds.length - 1] = 1;
  return { first: mode - down.length, bounds };
}
