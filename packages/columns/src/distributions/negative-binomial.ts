import type { Random } from '@data-designer/core';
import { certain, type Counts } from './counted.ts';
import { gammaDraw } from './gamma-draw.ts';
import { incompleteBeta } from './incomplete-beta.ts';
import { poissonDraw } from './poisson.ts';
import { tableDraw } from './table-draw.ts';

/** The negative binomial distribution: failures before n successes, n above 0 and not only an integer. */
export function negativeBinomialCounts(n: number, p: number): Counts {
  if (p === 1) return certain(0);
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

/** Poisson counts whose means are gamma values. */
function mixedDraw(n: number, scale: number): (random: Random) => number {
  const gamma = gammaDraw(n);
  const draw = poissonDraw();
  return (random) => draw(random, gamma.value(random) * scale);
}
