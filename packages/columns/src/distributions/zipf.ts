import type { Random } from '@data-designer/core';
import type { Counts } from './counted.ts';
import { openDraw } from './open-draw.ts';
import { harmonic, zetaFrom } from './zeta.ts';

/** Rejection sampling rejects a candidate with probability 0.3 at most, so this limit is never reached in practice. */
const MAX_TRIES = 128;

/** The Zipf distribution of exponent a, above 1: a count's probability falls as `count^-a`. */
export function zipfCounts(a: number): Counts {
  const whole = zetaFrom(1, a);
  return {
    support: [1, Infinity],
    lower: (count) => harmonic(count, a) / whole,
    upper: (count) => zetaFrom(count + 1, a) / whole,
    draw: (random) => drawZipf(random, a - 1),
  };
}

/** Source: Devroye, "Non-uniform random variate generation" (1986), section X.6.1. */
function drawZipf(random: Random, power: number): number {
  // 2^power - 1.
  const base = Math.expm1(power * Math.LN2);
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const count = Math.floor(Math.exp(-Math.log(openDraw(random)) / power));
    const growth = Math.expm1(power * Math.log1p(1 / count));
    const slope = count > Number.MAX_SAFE_INTEGER ? power : count * growth;
    if ((random.float() * slope) / base <= (growth + 1) / (base + 1)) return count;
  }
  return NaN;
}
