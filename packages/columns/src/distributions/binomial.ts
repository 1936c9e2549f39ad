import type { Random } from '@data-designer/core';
import { constantCount, type Counts } from './count-distribution.ts';
import { incompleteBeta } from './incomplete-beta.ts';
import { type PeakedCounts, ratioOfUniforms } from './ratio-of-uniforms.ts';
import { deviance, stirlingError } from './stirling.ts';
import { tableDraw } from './table-draw.ts';
import { gammaDraw } from './gamma-draw.ts';
import { poissonDraw } from './poisson.ts';

/** The binomial distribution: successes in n trials of probability p. */
export function binomialCounts(n: number, p: number): Counts {
  if (n === 0 || p === 0) return constantCount(0);
  if (p === 1) return constantCount(n);
  const mean = n * p;
  const q = 1 - p;
  return {
    support: [0, n],
    lower: (count) => incompleteBeta(n - count, count + 1)(q, p),
    upper: (count) => incompleteBeta(count + 1, n - count)(p, q),
    about: { mean, deviation: Math.sqrt(mean * q) },
    draw: binomialDraw(n, p),
  };
}

function binomialDraw(n: number, p: number): Counts['draw'] {
  const q = 1 - p;
  const mode = Math.min(n, Math.floor((n + 1) * p));
  const table = tableDraw({ lowest: 0, highest: n, mode, ratio: (count) => ((n - count) / (count + 1)) * (p / q) });
  if (table) return table;
  const peaked = binomialPeak(n, Math.min(p, q));
  return p <= q ? (random) => ratioOfUniforms(random, peaked) : (random) => n - ratioOfUniforms(random, peaked);
}

export function binomialPeak(n: number, p: number): PeakedCounts {
  const logMass = logBinomial(n, p);
  const mode = Math.floor((n + 1) * p);
  return { lowest: 0, highest: n, mean: n * p, variance: n * p * (1 - p), logMass, logTop: logMass(mode) };
}

/** The logarithm of each count's probability. Source: Loader, as in `stirling.ts`. */
export function logBinomial(n: number, p: number): (count: number) => number {
  if (n === 0) return (count) => (count === 0 ? 0 : -Infinity);
  const q = 1 - p;
  const [mean, rest] = [n * p, n * q];
  const error = stirlingError(n) + Math.log(n / (2 * Math.PI)) / 2;
  return (count) => {
    if (count === 0) return n * Math.log1p(-p);
    if (count === n) return n * Math.log(p);
    const other = n - count;
    const deviances = deviance(count, mean) + deviance(other, rest);
    return error - stirlingError(count) - stirlingError(other) - deviances - Math.log(count) / 2 - Math.log(other) / 2;
  };
}

/** The negative binomial distribution: failures before n successes; n may be fractional. */
export function negativeBinomialCounts(n: number, p: number): Counts {
  if (p === 1) return constantCount(0);
  const q = 1 - p;
  const mode = n > 1 ? Math.floor(((n - 1) * q) / p) : 0;
  const ratio = (count: number): number => ((n + count) / (count + 1)) * q;
  return {
    support: [0, Infinity],
    lower: (count) => incompleteBeta(n, count + 1)(p, q),
    upper: (count) => incompleteBeta(count + 1, n)(q, p),
    about: { mean: (n * q) / p, deviation: Math.sqrt(n * q) / p },
    draw: tableDraw({ lowest: 0, highest: Infinity, mode, ratio }) ?? mixedDraw(n, q / p),
  };
}

/** Draws Poisson counts with gamma-distributed means. */
function mixedDraw(n: number, scale: number): (random: Random) => number {
  const gamma = gammaDraw(n);
  const draw = poissonDraw();
  return (random) => draw(random, gamma.value(random) * scale);
}
