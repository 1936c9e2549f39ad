import type { Random } from '@data-designer/core';
import { densityWithin } from './normal-tail.ts';
import { normalCdf, normalQuantile, scaledTail, SQRT_TWO_PI } from './normal.ts';
import { positiveFloat } from './positive-float.ts';
import { searchedCurve, tailsOfLog } from './searched-curve.ts';
import type { Curve } from './shift-and-scale.ts';

/** The upper normal tail at x times `exp((x^2 - z^2) / 2)`. */
function tiltedTail(z: number, x: number): number {
  if (x > 0) return Math.exp((-z * z) / 2) * scaledTail(x);
  return Math.exp(((x - z) * (x + z)) / 2) * normalCdf(-x);
}

/** The density of the standard normal distribution. */
function density(x: number): number {
  return Math.exp((-x * x) / 2) / SQRT_TWO_PI;
}

const normal = (random: Random): number => normalQuantile(positiveFloat(random));
const exponential = (random: Random): number => -Math.log(positiveFloat(random));

/** A standard normal value plus an exponential one of mean k. */
export function normalPlusExponential(k: number): Curve {
  const tilted = (x: number): number => tiltedTail(x, 1 / k - x);
  return searchedCurve({
    support: [-Infinity, Infinity],
    tails: {
      lower: (x) => normalCdf(x) - tilted(x),
      upper: (x) => normalCdf(-x) + tilted(x),
      density: (x) => tilted(x) / k,
    },
    coordinate: (x) => x,
    value: (at) => at,
    about: { mean: k, deviation: Math.sqrt(1 + k * k) },
    draw: (random) => normal(random) + k * exponential(random),
  });
}

/** The parameters of the double Pareto log-normal distribution. */
interface DoublePareto {
  readonly mean: number;
  readonly deviation: number;
  /** The exponents of the upper and of the lower tail. */
  readonly rates: readonly [upper: number, lower: number];
}

/**
 * Exponentials of a normal value plus an exponential one of rate a less one of rate b. Source: Reed and Jorgensen,
 * Communications in Statistics 33 (2004).
 */
export function doubleParetoLogNormal({ mean, deviation, rates: [a, b] }: DoublePareto): Curve {
  const above = (z: number): number => tiltedTail(z, a * deviation - z) / (a + b);
  const below = (z: number): number => tiltedTail(z, b * deviation + z) / (a + b);
  return searchedCurve({
    support: [0, Infinity],
    tails: {
      lower: (z) => normalCdf(z) - b * above(z) + a * below(z),
      upper: (z) => normalCdf(-z) + b * above(z) - a * below(z),
      density: (z) => a * b * deviation * (above(z) + below(z)),
    },
    coordinate: (x) => (Math.log(x) - mean) / deviation,
    value: (z) => Math.exp(mean + deviation * z),
    about: {
      mean: (1 / a - 1 / b) / deviation,
      deviation: Math.sqrt(1 + (1 / (a * a) + 1 / (b * b)) / deviation / deviation),
    },
    draw: (random) => {
      const sum = mean + deviation * normal(random) + exponential(random) / a - exponential(random) / b;
      return Math.exp(sum);
    },
  });
}

/** The absolute value of a normal value around c, for c of 0 or more. */
export function foldedNormal(c: number): Curve {
  const lower = (x: number): number => {
    // Near 0 the difference has too few digits.
    if (x < 0.5 && x * c < 1) return density(c - x) * densityWithin(c - x, 2 * x);
    return normalCdf(x - c) - normalCdf(-x - c);
  };
  return searchedCurve({
    support: [0, Infinity],
    tails: tailsOfLog({
      lower,
      upper: (x) => normalCdf(c - x) + normalCdf(-x - c),
      density: (x) => density(x - c) + density(x + c),
    }),
    coordinate: Math.log,
    value: Math.exp,
    about: { mean: Math.log1p(c), deviation: 1 / (1 + c) },
    draw: (random) => Math.abs(c + normal(random)),
  });
}

/** The inverse Gaussian distribution of mean mu and shape 1, or that of its reciprocals. */
export function inverseGauss(mu: number, reciprocal: boolean): Curve {
  const tails = tailsOfLog(inverseGaussTails(mu));
  const about = { mean: Math.log(mu) - Math.log1p(mu) / 2, deviation: Math.sqrt(Math.log1p(mu)) };
  const support = [0, Infinity] as const;
  const draw = inverseGaussDraw(mu);
  if (!reciprocal) return searchedCurve({ support, tails, coordinate: Math.log, value: Math.exp, about, draw });
  return searchedCurve({
    support,
    tails: {
      lower: (at) => tails.upper(-at),
      upper: (at) => tails.lower(-at),
      density: (at) => tails.density(-at),
    },
    coordinate: Math.log,
    value: Math.exp,
    about: { mean: -about.mean, deviation: about.deviation },
    draw: (random) => 1 / draw(random),
  });
}

function inverseGaussTails(mu: number) {
  // The height of the density without its power of x, and the arguments of the two normal tails.
  const parts = (x: number): [height: number, near: number, far: number] => {
    const root = Math.sqrt(x);
    const near = (x / mu - 1) / root;
    return [Math.exp((-near * near) / 2), near, (x / mu + 1) / root];
  };
  return {
    lower: (x: number): number => {
      const [height, near, far] = parts(x);
      return near < 0 ? height * (scaledTail(-near) + scaledTail(far)) : normalCdf(near) + height * scaledTail(far);
    },
    upper: (x: number): number => {
      const [height, near, far] = parts(x);
      return near > 0 ? height * (scaledTail(near) - scaledTail(far)) : normalCdf(-near) - height * scaledTail(far);
    },
    density: (x: number): number => parts(x)[0] / (SQRT_TWO_PI * x * Math.sqrt(x)),
  };
}

/** Source: Michael, Schucany and Haas, The American Statistician 30 (1976), with the root that does not cancel. */
function inverseGaussDraw(mu: number): (random: Random) => number {
  return (random) => {
    const z = normal(random);
    const y = z * z * mu;
    const ratio = 2 / (2 + y + Math.sqrt(y * (4 + y)));
    return random.float() * (1 + ratio) <= 1 ? mu * ratio : mu / ratio;
  };
}
