import type { Random } from '@data-designer/core';
import { betaLogOddsDraw } from './beta.ts';
import { binomialPeak } from './binomial.ts';
import { constantCount, type Counts } from './count-distribution.ts';
import { gammaDraw } from './gamma-draw.ts';
import { poissonDraw } from './poisson.ts';
import { ratioOfUniforms } from './ratio-of-uniforms.ts';
import { logBeta } from './stirling.ts';

const NEGLIGIBLE = 1e-17;

/** The beta-binomial distribution: successes in n trials whose probability is a beta value of a and b. */
export function betaBinomialCounts(n: number, a: number, b: number): Counts {
  if (n === 0) return constantCount(0);
  const [lower, upper] = betaBinomialTails(n, a, b);
  const mean = (n * a) / (a + b);
  const deviation = Math.sqrt(((mean * b) / (a + b)) * ((a + b + n) / (a + b + 1)));
  return { support: [0, n], lower, upper, about: { mean, deviation }, draw: betaBinomialDraw(n, a, b) };
}

/** The probabilities of at most and of more than a count, by the sum on the side of the nearer end. */
function betaBinomialTails(n: number, a: number, b: number) {
  const mean = (n * a) / (a + b);
  const scale = Math.log(n + 1) + logBeta(a, b);
  const mass = (count: number): number =>
    Math.exp(logBeta(count + a, n - count + b) - logBeta(n - count + 1, count + 1) - scale);
  const ratio = (count: number): number => ((n - count) / (count + 1)) * ((a + count) / (b + n - count - 1));
  const down = (count: number): number => {
    let [term, sum] = [1, 1];
    for (let at = count - 1; at >= 0 && term > sum * NEGLIGIBLE; at--) sum += term /= ratio(at);
    return sum * mass(count);
  };
  const up = (count: number): number => {
    let [term, sum] = [1, 1];
    for (let at = count; at < n && term > sum * NEGLIGIBLE; at++) sum += term *= ratio(at);
    return sum * mass(count);
  };
  const lower = (count: number): number => (count > mean ? 1 - up(count + 1) : down(count));
  const upper = (count: number): number => (count >= mean ? up(count + 1) : 1 - down(count));
  return [lower, upper] as const;
}

function betaBinomialDraw(n: number, a: number, b: number): Counts['draw'] {
  const drawOdds = betaLogOddsDraw(a, b);
  return (random) => {
    const logOdds = drawOdds(random);
    // Counts the rarer outcome.
    const p = 1 / (1 + Math.exp(Math.abs(logOdds)));
    const count = n * p < FEW ? countUp(random, n, p) : ratioOfUniforms(random, binomialPeak(n, p));
    return logOdds > 0 ? n - count : count;
  };
}

/** Counting up from 0 is fast below this mean. */
const FEW = 12;
const MAX_STEPS = 200;

/** Draws a binomial count of a small mean. */
function countUp(random: Random, n: number, p: number): number {
  let rest = random.float();
  let mass = Math.exp(n * Math.log1p(-p));
  let count = 0;
  while (rest >= mass && count < MAX_STEPS && count < n) {
    rest -= mass;
    mass *= ((n - count) / (count + 1)) * (p / (1 - p));
    count++;
  }
  return count;
}

/**
 * The beta negative binomial distribution: failures before n successes. There are more than k if the first n + k trials
 * have fewer than n successes, which makes its tails those of beta-binomial distributions.
 */
export function betaNegativeBinomialCounts(n: number, a: number, b: number): Counts {
  if (n === 0) return constantCount(0);
  const gamma = gammaDraw(n);
  const drawOdds = betaLogOddsDraw(a, b);
  const poisson = poissonDraw();
  return {
    support: [0, Infinity],
    lower: (count) => betaBinomialTails(n + count, a, b)[1](n - 1),
    upper: (count) => betaBinomialTails(n + count, a, b)[0](n - 1),
    about: { mean: (n * b) / a, deviation: (n * b) / a + 1 },
    draw: (random) => poisson(random, gamma.value(random) * Math.exp(-drawOdds(random))),
  };
}
