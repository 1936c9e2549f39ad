import { gammaDraw } from './gamma-draw.ts';
import { incompleteGamma, type Part } from './incomplete-gamma.ts';
import { normalQuantileOf, SQRT_TWO_PI } from './normal.ts';
import { solveQuantile, type Tails } from './solve-quantile.ts';
import { gammaPower, stirlingError } from './stirling.ts';
import type { Curve } from './shift-and-scale.ts';

/** Below this logarithm only the first term of the power series counts; floats reach about -700. */
const NEAREST = -600;

/** The gamma distribution of shape a and scale 1. */
export function gammaCurve(a: number): Curve {
  const incomplete = incompleteGamma(a);
  const logQuantile = gammaLogQuantile(a);
  return {
    support: [0, Infinity],
    cdf: (x) => incomplete(x, 'lower'),
    quantile: (p, rest) => Math.exp(logQuantile(p, rest)),
    draw: gammaDraw(a).value,
  };
}

/** The tails by the logarithm of a gamma value, for logarithms of all sizes. */
export function gammaTailOfLog(a: number): (log: number, part: Part) => number {
  const incomplete = incompleteGamma(a);
  const logFactorial = logGammaOfNext(a);
  return (log, part) => {
    if (log >= NEAREST) return incomplete(Math.exp(log), part);
    const lower = Math.exp(a * log - logFactorial);
    return part === 'lower' ? lower : 1 - lower;
  };
}

/** The logarithm of the gamma function at a + 1. */
function logGammaOfNext(a: number): number {
  return stirlingError(a) + (a + 0.5) * Math.log(a) - a + Math.log(SQRT_TWO_PI);
}

/** The logarithms of the quantiles, which stay finite where the quantiles underflow. */
export function gammaLogQuantile(a: number): Curve['quantile'] {
  const incomplete = incompleteGamma(a);
  const error = stirlingError(a);
  const logFactorial = logGammaOfNext(a);
  // As a function of the logarithm the density is log-concave for every a.
  const tails: Tails = {
    lower: (at) => incomplete(Math.exp(at), 'lower'),
    upper: (at) => incomplete(Math.exp(at), 'upper'),
    density: (at) => a * gammaPower(a, Math.exp(at), error),
  };
  const step = 1 / Math.sqrt(a) + 1 / a;
  return (p, rest) => {
    // Near 0 only the first term of the power series is left.
    const low = (Math.log(p) + logFactorial) / a;
    if (low < NEAREST) return low;
    return solveQuantile(tails, p, { at: Math.log(a) + wilsonHilferty(a, normalQuantileOf(p, rest)), step, rest });
  };
}

/** Approximates the logarithm of quantile / a from the normal quantile. Source: Wilson and Hilferty, PNAS 17 (1931). */
function wilsonHilferty(a: number, normal: number): number {
  const root = 1 - 1 / (9 * a) + normal / (3 * Math.sqrt(a));
  return root > 0.1 ? 3 * Math.log(root) : 0;
}
