import { densityWithin } from './normal-tail.ts';
import { normalCdf, normalQuantile, SQRT_TWO_PI } from './normal.ts';
import type { Curve } from './shift-and-scale.ts';

const MAX_STEPS = 60;
const LAST_STEP = 1e-9;

/** The distribution of `1 / (a - z)` with a standard normal z below a. */
export function alphaCurve(a: number): Curve {
  const whole = normalCdf(a);
  return {
    support: [0, Infinity],
    cdf: (x) => normalCdf(a - 1 / x) / whole,
    quantile: (p, rest) => {
      if (p * whole < 0.5) return 1 / (a - normalQuantile(p * whole));
      const distance = a + normalQuantile(normalCdf(-a) + rest * whole);
      return 1 / (distance > 0.5 ? distance : distanceBelow(a, rest * whole));
    },
  };
}

/** The distance below a that has a given probability under the normal distribution, for distances up to about 1. */
function distanceBelow(a: number, probability: number): number {
  const wanted = probability * SQRT_TWO_PI * Math.exp((a * a) / 2);
  // Newton's method from above the root of a convex function.
  let distance = Math.min(1, wanted);
  for (let count = 0; count < MAX_STEPS; count++) {
    const step = (densityWithin(-a, distance) - wanted) / Math.exp(distance * (a - distance / 2));
    distance -= step;
    if (Math.abs(step) <= LAST_STEP * distance) break;
  }
  return distance;
}

/** The normal distribution whose lower tail, from -beta on, is a power of exponent m. */
export function crystalBall(beta: number, m: number): Curve {
  const edge = Math.exp((-beta * beta) / 2);
  const tail = ((m / beta) * edge) / (m - 1);
  const whole = tail + SQRT_TWO_PI * normalCdf(beta);
  const below = tail / whole;
  const perNormal = whole / SQRT_TWO_PI;
  return {
    support: [-Infinity, Infinity],
    cdf: (x) => {
      if (x < -beta) return below * Math.pow(1 - ((x + beta) * beta) / m, 1 - m);
      return x < 0 ? below + (normalCdf(x) - normalCdf(-beta)) / perNormal : 1 - normalCdf(-x) / perNormal;
    },
    quantile: (p, rest) => {
      if (p < below) return -beta - (m / beta) * Math.expm1(Math.log(p / below) / (1 - m));
      const normal = normalCdf(-beta) + (p - below) * perNormal;
      return normal < 0.5 ? normalQuantile(normal) : -normalQuantile(rest * perNormal);
    },
  };
}
