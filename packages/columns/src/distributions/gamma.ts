import { gammaDraw } from './gamma-draw.ts';
import { incompleteGamma } from './incomplete-gamma.ts';
import { normalQuantile, SQRT_TWO_PI } from './normal.ts';
import { solveQuantile, type Tails } from './solve-quantile.ts';
import { gammaPower, stirlingError } from './stirling.ts';
import type { Curve } from './shift-and-scale.ts';

/** Below this logarithm only the first term of the power series counts; floats reach about -700. */
const NEAREST = -600;

/** The gamma distribution of shape a and scale 1. */
export function gammaCurve(a: number): Curve {
  const incomplete = incompleteGamma(a);
  const error = stirlingError(a);
  const logFactorial = error + (a + 0.5) * Math.log(a) - a + Math.log(SQRT_TWO_PI);
  // As a function of the logarithm the density is log-concave for every a.
  const tails: Tails = {
    lower: (at) => incomplete(Math.exp(at), 'lower'),
    upper: (at) => incomplete(Math.exp(at), 'upper'),
    density: (at) => a * gammaPower(a, Math.exp(at), error),
  };
  const step = 1 / Math.sqrt(a) + 1 / a;
  return {
    support: [0, Infinity],
    cdf: (x) => incomplete(x, 'lower'),
    quantile: (p) => {
      // Near 0 only the first term of the power series is left.
      const low = (Math.log(p) + logFactorial) / a;
      if (low < NEAREST) return Math.exp(low);
      return Math.exp(solveQuantile(tails, p, { at: Math.log(a) + wilsonHilferty(a, p), step }));
    },
    draw: gammaDraw(a).value,
  };
}

/** Approximates the logarithm of quantile / a. Source: Wilson and Hilferty, PNAS 17 (1931). */
function wilsonHilferty(a: number, p: number): number {
  const root = 1 - 1 / (9 * a) + normalQuantile(p) / (3 * Math.sqrt(a));
  return root > 0.1 ? 3 * Math.log(root) : 0;
}
