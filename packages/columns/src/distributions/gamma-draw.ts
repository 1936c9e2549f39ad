import type { Random } from '@data-designer/core';
import { normalQuantile } from './normal.ts';
import { positiveFloat } from './positive-float.ts';

/** A try fails with a probability of at most 0.05. */
const MAX_TRIES = 64;

/**
 * Draws from the gamma distribution of shape a and scale 1: the value, or its logarithm, which stays finite when the
 * value underflows. NaN if all tries fail, which is next to impossible. Source: Marsaglia and Tsang, ACM TOMS 26
 * (2000), with normal values by inversion, so that draws share no state.
 */
export function gammaDraw(a: number): {
  readonly value: (random: Random) => number;
  readonly logarithm: (random: Random) => number;
} {
  if (a >= 1) {
    const value = fromOne(a);
    return { value, logarithm: (random) => Math.log(value(random)) };
  }
  const raised = fromOne(a + 1);
  const logarithm = (random: Random): number => Math.log(raised(random)) + Math.log(positiveFloat(random)) / a;
  return { value: (random) => Math.exp(logarithm(random)), logarithm };
}

function fromOne(a: number): (random: Random) => number {
  const d = a - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  return (random) => {
    for (let count = 0; count < MAX_TRIES; count++) {
      const x = normalQuantile(positiveFloat(random));
      const root = 1 + c * x;
      if (root <= 0) continue;
      const v = root * root * root;
      const u = positiveFloat(random);
      const square = x * x;
      if (u < 1 - 0.0331 * square * square) return d * v;
      if (Math.log(u) < square / 2 + d * (1 - v + Math.log(v))) return d * v;
    }
    return NaN;
  };
}
