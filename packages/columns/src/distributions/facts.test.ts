import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { mostUsed } from '../samplers/scipy/families/most-used.ts';
import { namedDistribution } from '../samplers/scipy/named-distribution.ts';

/** Known values of a distribution: its cdf at some numbers, and quantiles. */
interface Fact {
  readonly name: string;
  readonly params: Readonly<Record<string, number | string>>;
  readonly cdf: readonly (readonly [x: number, probability: number])[];
  readonly ppf: readonly (readonly [probability: number, x: number])[];
}

// Computed by scipy 1.10.1, or by mpmath 1.3.0 with at least 25 digits where scipy has fewer than ten correct ones.
const facts = JSON.parse(readFileSync(new URL('facts.json', import.meta.url), 'utf8')) as readonly Fact[];

/** Well below what is promised: 1e-9 in the body, 1e-6 in tails. */
const PRECISION = 1e-9;

function distributionOf({ name, params }: Fact) {
  const numbers = Object.entries(params).map(([key, value]) => [key, Number(String(value).replace('inf', 'Infinity'))]);
  return namedDistribution({ distName: name, distParams: Object.fromEntries(numbers) as Record<string, number> });
}

function near(value: number, known: number): boolean {
  return value === known || Math.abs(value - known) <= PRECISION * Math.abs(known);
}

describe.each(facts.map((fact) => [`${fact.name} ${JSON.stringify(fact.params)}`, fact] as const))('%s', (_, fact) => {
  const distribution = distributionOf(fact);

  test('has the known probabilities', () => {
    const found = fact.cdf.map(([x, known]) => [x, distribution.cdf(x), known] as const);
    expect(found.filter(([, value, known]) => !near(value, known))).toEqual([]);
  });

  test('has the known quantiles', () => {
    const found = fact.ppf.map(([p, known]) => [p, distribution.quantile(p), known] as const);
    expect(found.filter(([, value, known]) => !near(value, known))).toEqual([]);
  });
});

test('the facts cover the most used distributions', () => {
  expect(new Set(facts.map(({ name }) => name))).toEqual(new Set(Object.keys(mostUsed)));
});
