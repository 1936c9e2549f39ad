import { betaLogOdds, betaLogOddsDraw } from './beta.ts';
import { gammaDraw } from './gamma-draw.ts';
import { gammaLogQuantile, gammaTailOfLog } from './gamma.ts';
import { incompleteBeta } from './incomplete-beta.ts';
import { incompleteGamma } from './incomplete-gamma.ts';
import { integral } from './gauss-legendre.ts';
import type { Curve } from './shift-and-scale.ts';

/** How the values follow from gamma values: a function of the logarithm, and the inverse. */
interface OfGamma {
  readonly support: Curve['support'];
  /** The value at the logarithm of a gamma value. */
  readonly value: (log: number) => number;
  /** The logarithm of the gamma value of a value. */
  readonly log: (x: number) => number;
  /** Whether greater gamma values give lower values. */
  readonly falls?: boolean;
}

/** The distribution of a monotonic function of a gamma value of shape a. */
export function curveOfGamma(a: number, { support, value, log, falls = false }: OfGamma): Curve {
  const tail = gammaTailOfLog(a);
  const logQuantile = gammaLogQuantile(a);
  const { logarithm } = gammaDraw(a);
  const part = falls ? 'upper' : 'lower';
  return {
    support,
    cdf: (x) => tail(log(x), part),
    quantile: (p, rest) => value(falls ? logQuantile(rest, p) : logQuantile(p, rest)),
    draw: (random) => value(logarithm(random)),
  };
}

/** How the values follow from beta values: a rising function of the log-odds, and the share that belongs to a value. */
interface OfBeta {
  readonly support: Curve['support'];
  readonly value: (logOdds: number) => number;
  /** The share and 1 - share. */
  readonly share: (x: number) => readonly [share: number, rest: number];
}

/** The distribution of a rising function of a beta value of shapes a and b. */
export function curveOfBeta([a, b]: readonly [a: number, b: number], { support, value, share }: OfBeta): Curve {
  const lower = incompleteBeta(a, b);
  const logOdds = betaLogOdds(a, b);
  const drawOdds = betaLogOddsDraw(a, b);
  return {
    support,
    cdf: (x) => lower(...share(x)),
    quantile: (p, rest) => value(logOdds(p, rest)),
    draw: (random) => value(drawOdds(random)),
  };
}

/** Pearson's distribution of type III: a gamma distribution of mean 0 and deviation 1, reflected for negative skews. */
export function pearsonCurve(skew: number): Curve {
  const a = (2 / skew) ** 2;
  return curveOfGamma(a, {
    support: skew > 0 ? [-2 / skew, Infinity] : [-Infinity, -2 / skew],
    value: (log) => (2 / skew) * Math.expm1(log - Math.log(a)),
    log: (x) => Math.log(a) + Math.log1p((skew / 2) * x),
    falls: skew < 0,
  });
}

/** The ARGUS distribution: `chi^2 (1 - x^2) / 2` is a gamma value of shape 3/2, cut off at its value for x = 0. */
export function argusCurve(chi: number): Curve {
  const end = (chi * chi) / 2;
  const incomplete = incompleteGamma(1.5);
  const whole = incomplete(end, 'lower');
  const beyond = incomplete(end, 'upper');
  const logQuantile = gammaLogQuantile(1.5);
  const slope = (x: number): number => Math.sqrt(1 - x) * Math.exp(end * x);
  const height = (Math.sqrt(end) * end * Math.exp(-end) * 2) / Math.sqrt(Math.PI) / whole;
  const near = Math.min(0.25, 2 / end);
  return {
    support: [0, 1],
    cdf: (x) => {
      const square = x * x;
      if (square < near) return height * integral(slope, 0, square);
      const gamma = end * (1 - square);
      return whole < 0.5 ? 1 - incomplete(gamma, 'lower') / whole : (incomplete(gamma, 'upper') - beyond) / whole;
    },
    quantile: (p, rest) => {
      const far = 1 - Math.exp(logQuantile(rest * whole, beyond + p * whole)) / end;
      // Near 0 the difference has too few digits: Newton's method continues from the linear approximation.
      if (far > near) return Math.sqrt(far);
      let square = Math.min(near, p / height);
      for (let count = 0; count < 20; count++) {
        const step = (p / height - integral(slope, 0, square)) / slope(square);
        square += step;
        if (Math.abs(step) < 1e-9 * square) break;
      }
      return Math.sqrt(square);
    },
  };
}
