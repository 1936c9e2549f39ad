import type { Random } from '@data-designer/core';
import { certain, type Counts } from './count-distribution.ts';
import { incompleteGamma } from './incomplete-gamma.ts';
import { type Hatted, ratioDraw } from './ratio-draw.ts';
import { deviance, stirlingError } from './stirling.ts';
import { tableDraw } from './table-draw.ts';

/** The Poisson distribution of a mean of 0 or more. */
export function poissonCounts(mean: number): Counts {
  if (mean === 0) return certain(0);
  const mode = Math.floor(mean);
  const table = tableDraw({ lowest: 0, highest: Infinity, mode, ratio: (count) => mean / (count + 1) });
  const hatted = poissonHat(mean);
  return {
    support: [0, Infinity],
    lower: (count) => incompleteGamma(count + 1)(mean, 'upper'),
    upper: (count) => incompleteGamma(count + 1)(mean, 'lower'),
    about: { mean, deviation: Math.sqrt(mean) },
    draw: table ?? ((random) => ratioDraw(random, hatted)),
  };
}

/** What a hat over a Poisson distribution needs to know. */
function poissonHat(mean: number): Hatted {
  const logMass = (count: number): number => logPoisson(count, mean);
  return { lowest: 0, highest: Infinity, mean, variance: mean, logMass, logTop: logMass(Math.floor(mean)) };
}

const HALF_LOG_TWO_PI = Math.log(2 * Math.PI) / 2;

/** Source: Loader, as in `stirling.ts`. */
function logPoisson(count: number, mean: number): number {
  if (count === 0) return -mean;
  return -stirlingError(count) - deviance(count, mean) - HALF_LOG_TWO_PI - Math.log(count) / 2;
}

/** Below this mean, counting up takes few steps. */
const FEW = 12;
const MAX_STEPS = 200;

/** Draws from a Poisson distribution whose mean is another one at each draw; NaN where that gave up. */
export function poissonDraw(): (random: Random, mean: number) => number {
  const hatted: { -readonly [Key in keyof Hatted]: Hatted[Key] } = {
    ...poissonHat(FEW),
    logMass: (count) => logPoisson(count, hatted.mean),
  };
  return (random, mean) => {
    if (mean < FEW) return countUp(random, mean);
    if (mean > Number.MAX_SAFE_INTEGER) return mean;
    hatted.mean = mean;
    hatted.variance = mean;
    hatted.logTop = logPoisson(Math.floor(mean), mean);
    return ratioDraw(random, hatted);
  };
}

function countUp(random: Random, mean: number): number {
  let rest = random.float();
  let mass = Math.exp(-mean);
  let count = 0;
  while (rest >= mass && count < MAX_STEPS) {
    rest -= mass;
    count++;
    mass *= mean / count;
  }
  return count;
}
