import { expect, test } from 'vitest';
import { Float } from '@data-designer/core';
import { checkDistribution } from './check-distribution.ts';
import { distributionNames } from './distributions.ts';

function check(distName: string, distParams: Record<string, unknown>) {
  return checkDistribution({ distName, distParams }).map(({ field, message }) => `${field.join('.')}: ${message}`);
}

/** The parameters that each distribution needs, as scipy names them. */
const REQUIRED: Record<string, Record<string, unknown>> = {
  norm: {},
  lognorm: { s: 0.4 },
  expon: {},
  gamma: { a: 2 },
  beta: { a: 2, b: 5 },
  uniform: {},
  triang: { c: 0 },
  weibull_min: { c: 1.5 },
  pareto: { b: 3 },
  chi2: { df: 4 },
  t: { df: 12 },
  f: { dfn: 2, dfd: 3 },
  cauchy: {},
  laplace: {},
  logistic: {},
  gumbel_r: {},
  rayleigh: {},
  truncnorm: { a: -Infinity, b: 2 },
  poisson: { mu: 0 },
  binom: { n: 0, p: 1 },
  nbinom: { n: 2.5, p: 1 },
  geom: { p: 0.25 },
  randint: { low: 1, high: new Float(7) },
  hypergeom: { M: 10, n: 3, N: 4 },
  zipf: { a: 1.5 },
  bernoulli: { p: true },
};

test('the table of parameters lists every known distribution', () => {
  expect(distributionNames).toEqual(Object.keys(REQUIRED));
});

test.each(Object.entries(REQUIRED))('%s accepts %j and a loc', (name, params) => {
  expect(check(name, params)).toEqual([]);
  expect(check(name, { ...params, loc: 1.5 })).toEqual([]);
});

test.each(Object.entries(REQUIRED).filter(([, params]) => Object.keys(params).length > 0))(
  '%s reports missing parameters',
  (name, params) => {
    const missing = Object.keys(params).map((key) => expect.stringContaining(`needs the parameter '${key}'`) as string);
    expect(check(name, {})).toEqual(missing);
  },
);

test('t accepts infinitely many degrees of freedom', () => {
  expect(check('t', { df: Infinity })).toEqual([]);
});

test('only distributions of floats accept a scale, of 0 or more', () => {
  expect(check('expon', { scale: 0 })).toEqual([]);
  expect(check('expon', { scale: -1 })).toEqual([
    'distParams.scale: the value must be a finite number of 0 or more, but is -1.',
  ]);
  expect(check('geom', { p: 0.5, scale: 2 })).toEqual([
    "distParams.scale: the distribution 'geom' has no parameter 'scale'.",
  ]);
});

test.each<[string, Record<string, unknown>, string]>([
  ['gamma', { a: 2, shape: 1 }, "distParams.shape: the distribution 'gamma' has no parameter 'shape'."],
  ['norm', { size: 3 }, "distParams.size: the distribution 'norm' has no parameter 'size'."],
  ['gamma', { a: '2' }, 'distParams.a: the value must be a number.'],
  ['gamma', { a: [1, 2] }, 'distParams.a: the value must be a number.'],
  ['gamma', { a: 0 }, 'distParams.a: the value must be a finite number above 0, but is 0.'],
  ['norm', { loc: NaN }, 'distParams.loc: the value must be a finite number, but is NaN.'],
  ['triang', { c: 1.1 }, 'distParams.c: the value must be between 0 and 1, but is 1.1.'],
  ['zipf', { a: 1 }, 'distParams.a: the value must be a finite number above 1, but is 1.'],
  ['binom', { n: 2.5, p: 0.5 }, 'distParams.n: the value must be an integer from 0 to 2^53, but is 2.5.'],
  ['gamma', { a: Infinity }, 'distParams.a: the value must be a finite number above 0, but is Infinity.'],
  ['poisson', { mu: Infinity }, 'distParams.mu: the value must be a finite number of 0 or more, but is Infinity.'],
  [
    'randint',
    { low: 0, high: 2 ** 60 },
    'distParams.high: the value must be an integer from -2^53 to 2^53, but is 1152921504606847000.',
  ],
  ['geom', { p: 0 }, 'distParams.p: the value must be above 0 and at most 1, but is 0.'],
  ['randint', { low: 3, high: 3 }, "distParams: 'low' must be below 'high'."],
  ['truncnorm', { a: 1, b: 1 }, "distParams: 'a' must be below 'b'."],
  ['hypergeom', { M: 10, n: 3, N: 11 }, "distParams: 'n' and 'N' must be at most 'M'."],
  ['toString', {}, "distName: there is no distribution 'toString'."],
  ['alpha', { a: 1 }, "distName: there is no distribution 'alpha'."],
])('%s with %j is reported', (name, params, message) => {
  expect(check(name, params)).toEqual([message]);
});
