import { integral } from './gauss-legendre.ts';
import type { Part } from './incomplete-gamma.ts';
import { searchedCurve, tailsOfLog } from './searched-curve.ts';
import type { Curve } from './shift-and-scale.ts';
import { solveQuantile } from './solve-quantile.ts';
import { normalQuantile, SQRT_TWO_PI } from './normal.ts';

const { PI, atan2, cos, exp, hypot, log, sin, sqrt } = Math;

/** The raised cosine distribution: `(1 + cos x) / 2 pi`. */
export function cosineCurve(): Curve {
  const lower = (away: number): number => (away < 1 ? cubicPart(away) : away - sin(away)) / (2 * PI);
  // The search runs over the logarithm of the distance from the nearer end.
  const tails = tailsOfLog({
    lower,
    upper: (away) => 1 - lower(away),
    density: (away) => (1 - cos(away)) / (2 * PI),
  });
  const away = (p: number): number => exp(solveQuantile(tails, p, { at: log(12 * PI * p) / 3, step: 0.1 }));
  return {
    support: [-PI, PI],
    cdf: (x) => (x < 0 ? lower(PI + x) : 1 - lower(PI - x)),
    quantile: (p, rest) => {
      if (p < 0.2) return away(p) - PI;
      return rest < 0.2 ? PI - away(rest) : nearMiddle(PI * (p - rest));
    },
  };
}

/** `x - sin x` by its power series, for x up to 1. */
function cubicPart(x: number): number {
  let sum = 0;
  for (let n = 18; n > 2; n -= 2) sum = (1 + sum) * ((-x * x) / (n * (n + 1)));
  return (1 + sum) * ((x * x * x) / 6);
}

/** Solves `x + sin x = wanted` for x between -2 and 2. */
function nearMiddle(wanted: number): number {
  let x = wanted / 2;
  for (let count = 0; count < 30; count++) {
    const step = (x + sin(x) - wanted) / (1 + cos(x));
    x -= step;
    if (Math.abs(step) < 1e-9 * Math.abs(x)) break;
  }
  return x;
}

/** The limiting distribution of Kolmogorov's two-sided statistic. Source: the two series of Jacobi's theta function. */
export function kolmogorovCurve(): Curve {
  const byHeight = (x: number): number => -2 * seriesOf((n) => (n % 2 === 0 ? 1 : -1) * exp(-2 * n * n * x * x));
  const bySquares = (x: number): number => (SQRT_TWO_PI / x) * seriesOf((n) => exp(exponent(n, x)));
  return searchedCurve({
    support: [0, Infinity],
    tails: tailsOfLog({
      lower: (x) => (x < 1 ? bySquares(x) : 1 - byHeight(x)),
      upper: (x) => (x < 1 ? 1 - bySquares(x) : byHeight(x)),
      density: (x) => {
        if (x >= 1) return -8 * x * seriesOf((n) => (n % 2 === 0 ? 1 : -1) * n * n * exp(-2 * n * n * x * x));
        return (SQRT_TWO_PI / x / x) * seriesOf((n) => -(1 + 2 * exponent(n, x)) * exp(exponent(n, x)));
      },
    }),
    coordinate: log,
    value: exp,
    about: { mean: log(0.83), deviation: 0.3 },
  });
}

const exponent = (n: number, x: number): number => -(((2 * n - 1) * PI) ** 2) / (8 * x * x);

/** The first terms of a series that falls faster than any power; the terms from n = 7 on are below the precision. */
function seriesOf(term: (n: number) => number): number {
  let sum = 0;
  for (let n = 6; n > 0; n--) sum += term(n);
  return sum;
}

/** The sum of n uniform values. */
export function irwinHallCurve(n: number): Curve {
  // The recurrence over the number of values adds positive terms only, so that small tails keep their digits.
  const row = (x: number, last: number): Float64Array => {
    const lower = Float64Array.from({ length: n }, (_, shift) => Math.min(1, Math.max(0, x - shift)));
    for (let sum = 2; sum <= last; sum++) {
      for (let shift = 0; shift + sum <= n; shift++) {
        const at = x - shift;
        if (at <= 0) break;
        const [here = 0, next = 0] = [lower[shift], lower[shift + 1]];
        lower[shift] = at >= sum ? 1 : (at * here + (sum - at) * next) / sum;
      }
    }
    return lower;
  };
  const lower = (x: number): number => row(x, n)[0] ?? 0;
  const tails = tailsOfLog({
    lower,
    upper: (x) => lower(n - x),
    density: (x) => {
      const [here = 0, next = 0] = row(x, n - 1);
      return n === 1 ? 1 : here - next;
    },
  });
  const step = 1 / sqrt(3 * n);
  // The distribution is symmetric: the search runs over the logarithm of the distance from the nearer end.
  const away = (p: number): number => exp(solveQuantile(tails, p, { at: log(n / 2) + step * normalQuantile(p), step }));
  return {
    support: [0, n],
    cdf: (x) => (x < n / 2 ? lower(x) : 1 - lower(n - x)),
    quantile: (p, rest) => (p <= 0.5 ? away(p) : n - away(rest)),
    draw: (random) => {
      let sum = 0;
      for (let at = 0; at < n; at++) sum += random.float();
      return sum;
    },
  };
}

/** The relativistic Breit-Wigner distribution of mass rho and width 1. */
export function breitWignerCurve(rho: number): Curve {
  const length = Math.hypot(1, 1 / rho);
  const height = (2 / PI) * sqrt((2 * length * length) / (1 + length));
  const density = (x: number): number => height / (((x - rho) * ((x + rho) / rho)) ** 2 + 1);
  // The density of 1 / x.
  const inverted = (y: number): number => {
    const square = y * y;
    return (height * square) / ((1 / rho - rho * square) ** 2 + square * square || 1);
  };
  const size = sqrt(rho * rho * length);
  const near = breitWignerAngles(rho, length);
  const lower = (x: number): number => (x < size / 2 ? integral(density, 0, x) : near(x, 'lower'));
  const upper = (x: number): number => (x > 2 * size ? integral(inverted, 0, 1 / x) : near(x, 'upper'));
  return searchedCurve({
    support: [0, Infinity],
    tails: tailsOfLog({ lower, upper, density }),
    coordinate: log,
    value: exp,
    about: { mean: log(size), deviation: 1 / (1 + rho) },
  });
}

/** The closed form of both tails, by the real parts of complex arc tangents. */
function breitWignerAngles(rho: number, length: number): (x: number, part: Part) => number {
  const real = 1 / rho / sqrt(2 * (length + 1));
  const imaginary = sqrt((length + 1) / 2);
  return (x, part) => {
    const [u, v] = [(x * real) / (rho * length), (x * imaginary) / (rho * length)];
    const angles = part === 'lower' ? atan2(u, 1 - v) + atan2(u, 1 + v) : atan2(u, v - 1) - atan2(u, 1 + v);
    const logs = log(hypot(1 + v, u) / hypot(1 - v, u));
    return (imaginary * angles + (part === 'lower' ? real : -real) * logs) / (PI * imaginary);
  };
}
