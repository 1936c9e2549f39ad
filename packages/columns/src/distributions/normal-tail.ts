import { POINTS, WEIGHTS } from './gauss-legendre.ts';
import { normalCdf, normalQuantileOf, scaledTail, SQRT_TWO_PI } from './normal.ts';

/**
 * The probability of a standard normal value in [x, x + width] over the density at x, without cancellation; for widths
 * up to about 1 over which the density changes by a few powers of e at most.
 */
export function densityWithin(x: number, width: number): number {
  const half = width / 2;
  let sum = 0;
  for (let at = 0; at < POINTS.length; at++) {
    const away = half * (POINTS[at] ?? 0);
    const up = half + away;
    const down = half - away;
    sum += (WEIGHTS[at] ?? 0) * (Math.exp(-up * (x + up / 2)) + Math.exp(-down * (x + down / 2)));
  }
  return sum * half;
}

/** The drop of the logarithm of the upper normal tail from x to x + distance, for x of 0 or more. */
export function tailFall(x: number, distance: number): number {
  return distance * (x + distance / 2) - Math.log(scaledTail(x + distance) / scaledTail(x));
}

/** The share of the upper normal tail from x on that lies within a distance, for x of 0 or more. */
export function tailShare(x: number, distance: number): number {
  if (distance * (x + distance) > 0.5) return -Math.expm1(-tailFall(x, distance));
  return densityWithin(x, distance) / (SQRT_TWO_PI * scaledTail(x));
}

const MAX_STEPS = 60;
/** Newton's method squares its error: a relative step this small is the last. */
const LAST_STEP = 1e-8;

/** The distance from x that covers a share of the upper tail, for shares up to 1/2. */
export function distanceOfShare(x: number, share: number): number {
  const height = SQRT_TWO_PI * scaledTail(x);
  // Starts below the root of a concave function.
  let distance = share * height;
  for (let count = 0; count < MAX_STEPS; count++) {
    const step = (share - tailShare(x, distance)) * height * Math.exp(distance * (x + distance / 2));
    distance += step;
    if (Math.abs(step) <= LAST_STEP * distance) break;
  }
  return distance;
}

/** The distance over which the logarithm of the upper tail drops by `fall`. */
export function distanceOfFall(x: number, fall: number): number {
  const start = scaledTail(x);
  let distance = (2 * fall) / (x + Math.sqrt(x * x + 2 * fall));
  for (let count = 0; count < MAX_STEPS; count++) {
    const tail = scaledTail(x + distance);
    const step = (fall - distance * (x + distance / 2) + Math.log(tail / start)) * SQRT_TWO_PI * tail;
    distance = Math.max(0, distance + step);
    if (Math.abs(step) <= LAST_STEP * distance) break;
  }
  return distance;
}

/** The logarithm of the upper normal tail at x. */
export function logUpperTail(x: number): number {
  return x <= 0 ? Math.log1p(-normalCdf(x)) : Math.log(scaledTail(x)) - (x * x) / 2;
}

/** Beyond this fall from 1 the normal tail is below the range of floats. */
const FARTHEST_FALL = 700;

/** The number at which the upper normal tail is `exp(-fall)`, for falls above 0. */
export function normalOfFall(fall: number): number {
  if (fall > FARTHEST_FALL) return distanceOfFall(0, fall - Math.LN2);
  return normalQuantileOf(-Math.expm1(-fall), Math.exp(-fall));
}
