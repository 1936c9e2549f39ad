import { largeBeta } from './large-beta.ts';
import { betaPower, type BetaShape, betaShape } from './stirling.ts';

const MAX_TERMS = 100_000;
/** From this parameter on, the asymptotic expansion replaces the continued fraction near the middle. */
const LARGE = 3000;

/**
 * The regularized incomplete beta function `I_x(a, b)` as `incomplete(x, y)` with y = 1 - x, so that neither loses
 * digits. Small results keep their relative precision; swap a, b and x, y for the other tail. Source: DiDonato and
 * Morris, algorithm 708, ACM TOMS 18 (1992).
 */
export function incompleteBeta(a: number, b: number): (x: number, y: number) => number {
  // Created on first use: most callers need only one of them.
  let below: ReturnType<typeof upToMean> | undefined;
  let above: ReturnType<typeof upToMean> | undefined;
  // The fraction converges slightly past the mean too, but slowly just before 1.
  const margin = Math.min(a, b) > LARGE ? 0 : 1;
  return (x, y) => {
    if (!(x > 0)) return 0;
    if (!(y > 0)) return 1;
    return (a + margin) * y >= (b + margin) * x
      ? (below ??= upToMean(a, b))(x, y)
      : 1 - (above ??= upToMean(b, a))(y, x);
  };
}

/** The integral of `t^(a - 1) / (1 - t)` from 0 to x: the incomplete beta function of b = 0, not regularized. */
export function incompleteBetaOfZero(a: number, x: number): number {
  return Math.pow(x, a) * fraction({ a, b: 0, error: 0 }, x, a * (1 - x));
}

/** The lower tail, for x up to about the mean. */
function upToMean(a: number, b: number): (x: number, y: number) => number {
  const shape = betaShape(a, b);
  const least = Math.min(a, b);
  const nearby = least > LARGE ? largeBeta(shape) : undefined;
  return (x, y) => {
    const below = distance(shape, x, y);
    if (nearby && below <= 0.03 * least) return nearby(Math.max(0, below));
    return betaPower(shape, x, y) * fraction(shape, x, below);
  };
}

/** `a - (a + b) x`, computed from the smaller of x and y. */
function distance({ a, b }: BetaShape, x: number, y: number): number {
  return x <= y ? a - (a + b) * x : (a + b) * y - b;
}

/** The continued fraction of `I_x(a, b)` over `x^a y^b / B(a, b)`; `below` is `a - (a + b) x`. */
function fraction({ a, b }: BetaShape, x: number, below: number): number {
  const start = 1 + below;
  const step = 1 + 1 / a;
  let top = 0;
  let bottom = 1;
  let nextTop = 1;
  let nextBottom = start / step;
  let value = step / start;
  let p = 1;
  let s = a + 1;
  for (let n = 1; n < MAX_TERMS; n++) {
    const weight = n * (b - n) * x;
    const e = a / s;
    const alpha = p * (p + b / a) * e * e * (weight * x);
    const beta = n + weight / s + ((1 + n / a) / (step + (2 * n) / a)) * (start + n * (2 - x));
    p = 1 + n / a;
    s += 2;
    const newTop = alpha * top + beta * nextTop;
    const newBottom = alpha * bottom + beta * nextBottom;
    const last = value;
    value = newTop / newBottom;
    if (Math.abs(value - last) <= 1e-16 * value) break;
    // Scaled to prevent overflow.
    top = nextTop / newBottom;
    bottom = nextBottom / newBottom;
    nextTop = value;
    nextBottom = 1;
  }
  return value;
}
