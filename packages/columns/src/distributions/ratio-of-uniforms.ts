import type { Random } from '@data-designer/core';
import { positiveFloat } from './positive-float.ts';

/** A try fails with a probability below 0.4. */
const MAX_TRIES = 128;
const PER_DEVIATION = 2 * Math.sqrt(2 / Math.E);
const MARGIN = 3 - 2 * Math.sqrt(3 / Math.E);

/** A unimodal distribution of counts: binomial, Poisson or hypergeometric. */
export interface PeakedCounts {
  readonly lowest: number;
  readonly highest: number;
  readonly mean: number;
  readonly variance: number;
  /** The logarithm of a count's probability. */
  readonly logMass: (count: number) => number;
  /** The logarithm of the mode's probability. */
  readonly logTop: number;
}

/** Draws a count; NaN if all tries fail. Source: Stadlober, J. Comp. Appl. Math. 31 (1990). */
export function ratioOfUniforms(random: Random, peaked: PeakedCounts): number {
  const { lowest, highest, logMass, logTop } = peaked;
  const centre = peaked.mean + 0.5;
  const width = PER_DEVIATION * Math.sqrt(peaked.variance + 0.5) + MARGIN;
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const u = positiveFloat(random);
    const count = Math.floor(centre + (width * (random.float() - 0.5)) / u);
    if (!(count >= lowest && count <= highest)) continue;
    const log = logMass(count) - logTop;
    // Cheap bounds of the logarithm first.
    if (u * (4 - u) - 3 <= log) return count;
    if (u * (u - log) < 1 && 2 * Math.log(u) <= log) return count;
  }
  return NaN;
}
