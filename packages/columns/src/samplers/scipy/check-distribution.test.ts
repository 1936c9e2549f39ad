import { expect, test } from 'vitest';
import { Float } from '@data-designer/core';
import { checkDistribution } from './check-distribution.ts';
import { distributionNames, distributionOf } from './distributions.ts';
import { mostUsed } from './families/most-used.ts';
import { unsupported, unsupportedNames } from './unsupported.ts';

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

test('the table of parameters lists the most used distributions', () => {
  expect(Object.keys(mostUsed)).toEqual(Object.keys(REQUIRED));
});

test.each(distributionNames())('%s refuses parameters that are missing, unknown or no numbers', (name) => {
  const names = Object.keys(distributionOf(name)?.shapes ?? {});
  const missing = names.map((key) => `distParams: the distribution '${name}' needs the parameter '${key}'.`);
  expect(check(name, { size: 1 })).toEqual([
    `distParams.size: the distribution '${name}' has no parameter 'size'.`,
    ...missing,
  ]);
  const invalid = check(name, Object.fromEntries(names.map((key) => [key, NaN])));
  expect(invalid.map((message) => message.split(':')[0])).toEqual(names.map((key) => `distParams.${key}`));
});

test.each([
  ['skewnorm', "the distribution 'skewnorm' of scipy is not supported.", "Use a similar one, such as 'exponnorm'."],
  ['ksone', "the distribution 'ksone' of scipy is not supported.", 'Use another distribution.'],
  [
    'multivariate_normal',
    "the distribution 'multivariate_normal' of scipy draws several numbers at once, and a cell holds one.",
    'Use one column for each number, with a distribution of single numbers.',
  ],
])('%s is refused by name', (distName, message, remedy) => {
  expect(checkDistribution({ distName, distParams: {} })).toMatchObject([{ field: ['distName'], message, remedy }]);
});

test('every unsupported distribution has no parameters, and its replacement is supported', () => {
  for (const name of unsupportedNames) {
    expect(distributionNames()).not.toContain(name);
    const replacements = unsupported(name)?.remedy.match(/(?<=')\w+(?=')/g) ?? [];
    expect(replacements.filter((replacement) => !distributionNames().includes(replacement))).toEqual([]);
  }
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
  ['alfa', { a: 1 }, "distName: there is no distribution 'alfa'."],
  ['alpha', { a: 0 }, 'distParams.a: the value must be a finite number above 0, but is 0.'],
  ['crystalball', { beta: 1, m: 1 }, 'distParams.m: the value must be a finite number above 1, but is 1.'],
  ['foldnorm', { c: -1 }, 'distParams.c: the value must be a finite number of 0 or more, but is -1.'],
  ['gengamma', { a: 1, c: 0 }, 'distParams.c: the value must be a finite number other than 0, but is 0.'],
  ['irwinhall', { n: 1001 }, 'distParams.n: the value must be an integer from 1 to 1000, but is 1001.'],
  ['kappa4', { h: Infinity, k: 0 }, 'distParams.h: the value must be a finite number, but is Infinity.'],
  ['skewcauchy', { a: 1 }, 'distParams.a: the value must be above -1 and below 1, but is 1.'],
  ['wrapcauchy', { c: 1 }, 'distParams.c: the value must be above 0 and below 1, but is 1.'],
  ['loguniform', { a: 2, b: 2 }, "distParams: 'a' must be below 'b'."],
  ['trapezoid', { c: 0.7, d: 0.2 }, "distParams: 'c' must be at most 'd'."],
  ['truncweibull_min', { c: 1, a: 3, b: 2 }, "distParams: 'a' must be below 'b'."],
  ['logser', { p: 1 }, 'distParams.p: the value must be above 0 and below 1, but is 1.'],
  ['boltzmann', { lambda_: 1, N: 0 }, 'distParams.N: the value must be an integer from 1 to 2^53, but is 0.'],
  ['nhypergeom', { M: 9, n: 5, r: 5 }, "distParams: the sum of 'n' and 'r' must be at most 'M'."],
  [
    'betabinom',
    { n: 1e7, a: 1, b: 1 },
    'distParams.n: the value must be an integer from 0 to 1000000, but is 10000000.',
  ],
])('%s with %j is reported', (name, params, message) => {
  expect(check(name, params)).toEqual([message]);
});
