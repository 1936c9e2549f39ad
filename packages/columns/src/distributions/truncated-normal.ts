import type { Curve } from './shift-and-scale.ts';
import { densityWithin, distanceOfFall, distanceOfShare, tailFall, tailShare } from './normal-tail.ts';
import { normalCdf, normalQuantile, SQRT_TWO_PI } from './normal.ts';

/** The logarithm of a smaller share has too few digits. */
const SMALL_SHARE = 1e-4;

/** The standard normal distribution between a < b, possibly infinite; accurate in both tails. */
export function truncatedNormalCurve(a: number, b: number): Curve {
  if (a >= 0) {
    const { lower, lowerQuantile, upperQuantile } = inTail(a, b);
    return { support: [a, b], cdf: lower, quantile: (p) => (p < 0.5 ? lowerQuantile(p) : upperQuantile(1 - p)) };
  }
  if (b <= 0) {
    const { upper, lowerQuantile, upperQuantile } = inTail(-b, -a);
    return {
      support: [a, b],
      cdf: (x) => upper(-x),
      quantile: (p) => (p < 0.5 ? -upperQuantile(p) : -lowerQuantile(1 - p)),
    };
  }
  return aroundMiddle(a, b);
}

function aroundMiddle(a: number, b: number): Curve {
  const whole = between(a, b);
  const below = normalCdf(a);
  const above = normalCdf(-b);
  return {
    support: [a, b],
    cdf: (x) => (x < 0 ? between(a, x) / whole : 1 - between(x, b) / whole),
    quantile: (p) => {
      const fromLow = below + p * whole;
      const value = fromLow < 0.5 ? normalQuantile(fromLow) : -normalQuantile(above + (1 - p) * whole);
      return Math.min(b, Math.max(a, value));
    },
  };
}

/** The probability of a standard normal value from `low` to `high`. */
function between(low: number, high: number): number {
  if (high - low > 1 || low < -38) return normalCdf(high) - normalCdf(low);
  return (densityWithin(low, high - low) * Math.exp((-low * low) / 2)) / SQRT_TWO_PI;
}

/** Both tails of the distribution between a and b, for a of 0 or more. */
function inTail(a: number, b: number) {
  const whole = tailShare(a, b - a);
  const rest = Math.exp(-tailFall(a, b - a));
  return {
    lower: (x: number): number => tailShare(a, x - a) / whole,
    upper: (x: number): number => (Math.exp(-tailFall(a, x - a)) * tailShare(x, b - x)) / whole,
    lowerQuantile: (p: number): number => {
      const share = p * whole;
      const distance = share < SMALL_SHARE ? distanceOfShare(a, share) : distanceOfFall(a, -Math.log1p(-share));
      return Math.min(b, a + distance);
    },
    upperQuantile: (p: number): number => {
      const left = rest + p * whole;
      // The logarithm of a narrow strip has too few digits too.
      const distance = whole < SMALL_SHARE ? distanceOfShare(a, (1 - p) * whole) : distanceOfFall(a, -Math.log(left));
      return Math.min(b, a + distance);
    },
  };
}
