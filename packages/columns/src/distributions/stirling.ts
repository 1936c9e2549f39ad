import { SQRT_TWO_PI } from './normal.ts';

const SERIES_FROM = 16;

/**
 * `ln gamma(a + 1)` less Stirling's formula, for a above 0. Source: Loader, "Fast and accurate computation of binomial
 * probabilities" (2000).
 */
export function stirlingError(a: number): number {
  let rest = 0;
  let at = a;
  for (; at < SERIES_FROM; at++) rest += (at + 0.5) * Math.log1p(1 / at) - 1;
  const inverse = 1 / at;
  const square = inverse * inverse;
  const high = 1 / 1260 - square * (1 / 1680 - square / 1188);
  return rest + inverse * (1 / 12 - square * (1 / 360 - square * high));
}

/** `x ln(x / mean) + mean - x` without cancellation, for x and mean of 0 or more. Source: Loader, as above. */
export function deviance(x: number, mean: number): number {
  const difference = x - mean;
  if (Math.abs(difference) >= 0.1 * (x + mean)) return x === 0 ? mean : x * Math.log(x / mean) - difference;
  const ratio = difference / (x + mean);
  const square = ratio * ratio;
  let term = 2 * x * ratio;
  let sum = difference * ratio;
  for (let odd = 3; ; odd += 2) {
    term *= square;
    const next = sum + term / odd;
    if (next === sum) return sum;
    sum = next;
  }
}

/** `x^a exp(-x) / gamma(a + 1)`, for a above 0; `error` is `stirlingError(a)`. */
export function gammaPower(a: number, x: number, error: number): number {
  return Math.exp(-error - deviance(a, x)) / (SQRT_TWO_PI * Math.sqrt(a));
}

/** The parameters of a beta integral, above 0. */
export interface BetaShape {
  readonly a: number;
  readonly b: number;
  /** `stirlingError(a + b) - stirlingError(a) - stirlingError(b)`. */
  readonly error: number;
}

export function betaShape(a: number, b: number): BetaShape {
  return { a, b, error: stirlingError(a + b) - stirlingError(a) - stirlingError(b) };
}

/** `x^a y^b / B(a, b)` with y = 1 - x, so that neither loses digits. */
export function betaPower({ a, b, error }: BetaShape, x: number, y: number): number {
  if (x <= 0 || y <= 0) return 0;
  const total = a + b;
  const exponent = error - deviance(a, total * x) - deviance(b, total * y);
  return (Math.exp(exponent) * Math.sqrt(a) * Math.sqrt(b / total)) / SQRT_TWO_PI;
}

/** `ln B(a, b)`, for a and b above 0. */
export function logBeta(a: number, b: number): number {
  const height = stirlingError(a) + stirlingError(b) - stirlingError(a + b) + Math.log(SQRT_TWO_PI);
  return height - (Math.log(a) + Math.log(b / (a + b))) / 2 - a * Math.log1p(b / a) - b * Math.log1p(a / b);
}
