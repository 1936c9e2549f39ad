import {
  curveOfHazard,
  curveOfReversedHazard,
  logExpMinusOne,
  logOneMinusExp,
  logOnePlusExp,
} from './cumulative-hazard.ts';
import type { Curve } from './shift-and-scale.ts';

/** Hosking's four-parameter kappa distribution. */
export function kappaCurve(h: number, k: number): Curve {
  const value = (logHeight: number): number => (k === 0 ? -logHeight : -Math.expm1(k * logHeight) / k);
  const bounded = h > 0 ? value(-Math.log(h)) : -Infinity;
  return curveOfReversedHazard({
    support: [h <= 0 && k < 0 ? 1 / k : bounded, k > 0 ? 1 / k : Infinity],
    hazard: (x) => {
      const logHeight = k === 0 ? -x : Math.log1p(-k * x) / k;
      if (h < 0) return logOnePlusExp(logHeight + Math.log(-h)) / -h;
      return h === 0 ? Math.exp(logHeight) : -Math.log1p(-h * Math.exp(logHeight)) / h;
    },
    inverse: (hazard) => {
      if (h === 0) return value(Math.log(hazard));
      if (h > 0) return value(logOneMinusExp(h * hazard) - Math.log(h));
      return value(logExpMinusOne(-h * hazard) - Math.log(-h));
    },
  });
}

const MAX_STEPS = 100;
const LAST_STEP = 1e-9;

/** The generalized exponential distribution, whose rate rises from a towards a + b. */
export function generalizedExponential(a: number, b: number, c: number): Curve {
  const hazard = (x: number): number => a * x + (b / c) * excess(c * x);
  return curveOfHazard({
    support: [0, Infinity],
    hazard,
    inverse: (wanted) => {
      // Newton's method from above the root of a convex function.
      let x = wanted / a;
      for (let count = 0; count < MAX_STEPS; count++) {
        const step = (hazard(x) - wanted) / (a - b * Math.expm1(-c * x));
        x -= step;
        if (Math.abs(step) <= LAST_STEP * x) break;
      }
      return x;
    },
  });
}

/** `x - 1 + exp(-x)` without cancellation. */
function excess(x: number): number {
  if (x > 0.5) return x + Math.expm1(-x);
  let sum = 0;
  for (let n = 16; n > 2; n--) sum = (1 + sum) * (-x / n);
  return (1 + sum) * ((x * x) / 2);
}
