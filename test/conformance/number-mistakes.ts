import type { Near, NumberFacts, Ratios } from './sampler-row.ts';

/** Where numbers that were drawn leave what was observed, in words; empty where they do nowhere. */
export function mistakesInNumbers(numbers: readonly number[], facts: NumberFacts): string[] {
  const sorted = Float64Array.from(numbers).toSorted();
  return [
    ...mistakesInMoments(sorted, facts),
    ...mistakesInSupport(sorted, facts),
    ...mistakesInQuantiles(sorted, facts),
    ...mistakesInShares(sorted, facts),
  ];
}

/** Where texts come up more or less often than was observed, or were never observed. */
export function mistakesInRatios(texts: readonly string[], ratios: Ratios): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const strange = [...counts.keys()].filter((text) => !Object.hasOwn(ratios, text));
  const off = Object.entries(ratios).flatMap(([text, { ratio, tolerance }]) => {
    const found = (counts.get(text) ?? 0) / texts.length;
    return Math.abs(found - ratio) <= tolerance ? [] : [`'${text}' has a share of ${found}, not ${ratio}`];
  });
  return [...strange.map((text) => `'${text}' is none of the values`), ...off];
}

function mistakesInMoments(sorted: Float64Array, { mean, std }: NumberFacts): string[] {
  const found = sorted.reduce((sum, number) => sum + number, 0) / sorted.length;
  const spread = Math.sqrt(sorted.reduce((sum, number) => sum + (number - found) ** 2, 0) / sorted.length);
  return [...mistakeInMoment('mean', found, mean), ...mistakeInMoment('deviation', spread, std)];
}

function mistakeInMoment(name: string, found: number, wanted: Near | undefined): string[] {
  if (!wanted || Math.abs(found - wanted.value) <= wanted.tolerance) return [];
  return [`the ${name} is ${found}, not ${wanted.value}`];
}

function mistakesInSupport(sorted: Float64Array, { support }: NumberFacts): string[] {
  if (!support) return [];
  const { min = -Infinity, max = Infinity, min_inclusive: least = true, max_inclusive: most = true, values } = support;
  const outside = sorted.filter((number) => {
    if (values) return !values.includes(number);
    return !((least ? number >= min : number > min) && (most ? number <= max : number < max));
  });
  return outside.length === 0 ? [] : [`${outside.length} are outside, such as ${outside[0]}`];
}

function mistakesInQuantiles(sorted: Float64Array, { quantiles = {} }: NumberFacts): string[] {
  return Object.entries(quantiles).flatMap(([share, { accept }]) => {
    const found = sorted[Math.ceil(Number(share) * sorted.length) - 1] as number;
    const isWithin = found >= (accept[0] ?? -Infinity) && found <= (accept[1] ?? Infinity);
    return isWithin ? [] : [`the quantile ${share} is ${found}, not within ${accept.join(' and ')}`];
  });
}

function mistakesInShares(sorted: Float64Array, { cdf = [] }: NumberFacts): string[] {
  return cdf.flatMap(({ x, p, tolerance }) => {
    const found = sorted.filter((number) => number <= x).length / sorted.length;
    return Math.abs(found - p) <= tolerance ? [] : [`a share of ${found} is at most ${x}, not ${p}`];
  });
}
