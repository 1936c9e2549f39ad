import { createRowSigner, Selector, type SelectRules } from '@data-designer/select';
import type { BenchRow } from '../spine.ts';
import { compareAll, joinSimilar } from './exact-join.ts';
import { plantTexts, TextGenerator } from './planted-texts.ts';
import { keepFirst, type RefusedText, type SimilarPair, selectTexts } from './select-texts.ts';

const THRESHOLD = 0.8;
/** Texts and planted pairs of each similarity: the smaller number is what comparing all pairs affords. */
const MANY = { seed: 1, texts: 100_000, pairs: 5050, similarities: [0.5, 0.7, 0.8, 0.9] } as const;
const FEW = { seed: 2, texts: 5000, pairs: 500, similarities: [0.5, 0.7, 0.8, 0.9] } as const;

/** The refused near-duplicates beside those that exact joins find. */
export async function minHashRecall(): Promise<readonly BenchRow[]> {
  const many = plantTexts(MANY).texts;
  const few = plantTexts(FEW).texts;
  return [
    ...compare('100,000 texts, exact join in DuckDB', many, await joinSimilar(many, THRESHOLD)),
    ...compare('5,000 texts, all pairs', few, compareAll(few, THRESHOLD)),
  ];
}

function compare(what: string, texts: readonly string[], pairs: readonly SimilarPair[]): BenchRow[] {
  const exact = keepFirst(pairs, THRESHOLD);
  const refused = selectTexts(texts, THRESHOLD);
  const right = [...refused].filter(([text, { of, similarity }]) => {
    const pair = pairs.find(({ first, second }) => first === of && second === text);
    return pair !== undefined && Math.abs(pair.similarity - similarity) < 1e-4;
  });
  return [0.8, 0.9].map((similarity) => {
    const near = [...exact].filter(([, pair]) => Math.abs(pair.similarity - similarity) < 0.01);
    return {
      what: `${what}, Jaccard ${similarity}`,
      figures: {
        pairs: near.length,
        recall: recallOf(near, refused),
        refused: refused.size,
        precision: right.length / refused.size,
      },
    };
  });
}

function recallOf(
  near: readonly (readonly [number, RefusedText])[],
  refused: ReadonlyMap<number, RefusedText>,
): number {
  return near.filter(([text]) => refused.has(text)).length / near.length;
}

const DIMENSION = 384;
const VECTORS = 10_000;

/** The refused vectors of planted pairs, at cosines above and below the threshold. */
export function vectorRecall(): readonly BenchRow[] {
  return [0.8, 0.85, 0.9, 0.92, 0.95].map((threshold) => {
    const generator = new TextGenerator(4);
    const rules: SelectRules = { unique: [{ kind: 'embedding', column: 'vector', threshold }], uniqueAgainst: [] };
    using selector = new Selector(rules);
    const sign = createRowSigner(rules);
    const vectors = Array.from({ length: VECTORS }, () => direction(generator));
    for (const [index, vector] of vectors.entries()) selector.decide(index, sign({ vector }));
    const accepts = (cosine: number): number => {
      const near = vectors.slice(0, 1000).map((vector) => atCosine(vector, { cosine, generator }));
      const candidates = near.map((vector) => sign({ vector }));
      return candidates.filter((one, index) => selector.decide(VECTORS + index, one).accepted).length / near.length;
    };
    const wrong = 1 - accepts(threshold - 0.005);
    return {
      what: `vectors at cosine ${threshold}`,
      figures: { recall: 1 - accepts(threshold + 0.0001), 'wrongly refused': wrong },
    };
  });
}

/** A random direction of length 1. */
function direction(generator: TextGenerator): number[] {
  const vector = Array.from({ length: DIMENSION }, () => generator.below(2_000_001) - 1_000_000);
  const length = Math.hypot(...vector);
  return vector.map((one) => one / length);
}

/** A vector at a cosine to another one. */
function atCosine(
  vector: readonly number[],
  { cosine, generator }: { cosine: number; generator: TextGenerator },
): number[] {
  const other = direction(generator);
  const along = other.reduce((sum, one, at) => sum + one * (vector[at] ?? 0), 0);
  const across = other.map((one, at) => one - along * (vector[at] ?? 0));
  const factor = Math.sqrt(1 - cosine * cosine) / Math.hypot(...across);
  return vector.map((one, at) => one * cosine + (across[at] ?? 0) * factor);
}
