import type { Random } from '@data-designer/core';
import { constantCount, type Counts } from './count-distribution.ts';
import { incompleteGamma } from './incomplete-gamma.ts';
import { type PeakedCounts, ratioOfUniforms } from './ratio-of-uniforms.ts';
import { deviance, stirlingError } from './stirling.ts';
import { tableDraw } from './table-draw.ts';

/** The Poisson distribution; the mean is 0 or more. */
export function poissonCounts(mean: number): Counts {
  if (mean === 0) return constantCount(0);
  const mode = Math.floor(mean);
  const table = tableDraw({ lowest: 0, highest: Infinity, mode, ratio: (count) => mean / (count + 1) });
  const peaked = poissonPeak(mean);
  return {
    support: [0, Infinity],
    lower: (count) => incompleteGamma(count + 1)(mean, 'upper'),
    upper: (count) => incompleteGamma(count + 1)(mean, 'lower'),
    about: { mean, deviation: Math.sqrt(mean) },
    draw: table ?? ((random) => ratioOfUniforms(random, peaked)),
  };
}

function poissonPeak(mean: number): PeakedCounts {
  const logMass = (count: number): number => logPoisson(count, mean);
  return { lowest: 0, highest: Infinity, mean, variance: mean, logMass, logTop: logMass(Math.floor(mean)) };
}

const HALF_LOG_TWO_PI = Math.log(2 * Math.PI) / 2;

/** The logarithm of a count's probability. Source: Loader, as in `stirling.ts`. */
function logPoisson(count: number, mean: number): number {
  if (count === 0) return -mean;
  return -stirlingError(count) - deviance(count, mean) - HALF_LOG_TWO_PI - Math.log(count) / 2;
}

/** Counting up from 0 is fast below this mean. */
const FEW = 12;
const MAX_STEPS = 200;

/** Draws Poisson counts with a different mean for each draw; NaN when it gives up. */
export function poissonDraw(): (random: Random, mean: number) => number {
  const peaked: { -readonly [Key in keyof PeakedCounts]: PeakedCounts[Key] } = {
    ...poissonPeak(FEW),
    logMass: (count) => logPoisson(count, peaked.mean),
  };
  return (random, mean) => {
    if (mean < FEW) return countUp(random, mean);
    if (mean > Number.MAX_SAFE_INTEGER) return mean;
    peaked.mean = mean;
    peaked.variance = mean;
    peaked.logTop = logPoisson(Math.floor(mean), mean);
    return ratioOfUniforms(random, peaked);
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
