import type { Random } from '@data-designer/core';
import type { Counts } from './count-distribution.ts';
import { positiveFloat } from './positive-float.ts';

/** Rejection sampling rejects a candidate with probability 0.3 at most, so this limit is never reached in practice. */
const MAX_TRIES = 128;

/** The Zipf distribution of exponent a, above 1: a count's probability falls as `count^-a`. */
export function zipfCounts(a: number): Counts {
  const whole = zetaFrom(1, a);
  return {
    support: [1, Infinity],
    lower: (count) => harmonic(count, a) / whole,
    upper: (count) => zetaFrom(count + 1, a) / whole,
    draw: (random) => drawZipf(random, a - 1),
  };
}

/** Source: Devroye, "Non-uniform random variate generation" (1986), section X.6.1. */
function drawZipf(random: Random, power: number): number {
  // 2^power - 1.
  const base = Math.expm1(power * Math.LN2);
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const count = Math.floor(Math.exp(-Math.log(positiveFloat(random)) / power));
    const growth = Math.expm1(power * Math.log1p(1 / count));
    const slope = count > Number.MAX_SAFE_INTEGER ? power : count * growth;
    if ((random.float() * slope) / base <= (growth + 1) / (base + 1)) return count;
  }
  return NaN;
}

/** Sums from this index on use the Euler-Maclaurin formula. */
const DIRECT = 20;
/** Bernoulli numbers over factorials: B2 / 2!, B4 / 4!, ... */
const CORRECTIONS = [1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600];

/** The sum of `j^-a` for j from 1 to `count`, for a above 1. */
function harmonic(count: number, a: number): number {
  const direct = sumDirectly(1, Math.min(count + 1, DIRECT), a);
  if (count < DIRECT) return direct;
  const logRatio = Math.log(count / DIRECT);
  const integral = (Math.pow(DIRECT, 1 - a) * -Math.expm1((1 - a) * logRatio)) / (a - 1);
  return direct + integral + halfAndCorrections(DIRECT, a) + Math.pow(count, -a) - halfAndCorrections(count, a);
}

/** The sum of `j^-a` for j from `first` to `last`, for any a. */
export function powerSum(first: number, last: number, a: number): number {
  if (last - first < 2 * DIRECT) return sumDirectly(first, last + 1, a);
  const from = Math.max(first, DIRECT);
  const logRatio = Math.log(last / from);
  const integral = a === 1 ? logRatio : (Math.pow(from, 1 - a) * Math.expm1((1 - a) * logRatio)) / (1 - a);
  const ends = halfAndCorrections(from, a) + Math.pow(last, -a) - halfAndCorrections(last, a);
  return sumDirectly(first, from, a) + integral + ends;
}

/** Hurwitz's zeta function: the sum of `j^-a` for j from `first` on, for a above 1. */
function zetaFrom(first: number, a: number): number {
  const from = Math.max(first, DIRECT);
  return sumDirectly(first, from, a) + Math.pow(from, 1 - a) / (a - 1) + halfAndCorrections(from, a);
}

function sumDirectly(first: number, end: number, a: number): number {
  let sum = 0;
  for (let at = first; at < end; at++) sum += Math.pow(at, -a);
  return sum;
}

/** The difference between the sum from x on and its integral. Source: DLMF 2.10.1 and 25.11.28. */
function halfAndCorrections(x: number, a: number): number {
  const height = Math.pow(x, -a);
  let sum = height / 2;
  let derivative = (height * a) / x;
  for (let at = 0; at < CORRECTIONS.length; at++) {
    sum += (CORRECTIONS[at] ?? 0) * derivative;
    derivative *= ((a + 2 * at + 1) / x) * ((a + 2 * at + 2) / x);
  }
  return sum;
}
