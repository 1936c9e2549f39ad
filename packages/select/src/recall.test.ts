import { expect, test } from 'vitest';
import { plantTexts, TextGenerator } from '../../bench/src/select/planted-texts.ts';
import { selectTexts } from '../../bench/src/select/select-texts.ts';
import { createRowSigner } from './row-signer.ts';
import { Selector } from './selector.ts';

test('refuses almost all near-duplicates, and no other text', { tags: 'long' }, () => {
  const { texts, pairs } = plantTexts({ seed: 7, texts: 5000, pairs: 600, similarities: [0.5, 0.7, 0.8, 0.9] });
  const planted = new Map(pairs.map(({ second, first, similarity }) => [second, { first, similarity }]));
  const refused = selectTexts(texts, 0.8);
  for (const [text, { of, similarity }] of refused) {
    expect(of).toBe(planted.get(text)?.first);
    expect(Math.abs(similarity - (planted.get(text)?.similarity ?? 0))).toBeLessThan(0.01);
  }
  const recall = (similarity: number): number =>
    pairs.filter((pair) => pair.similarity === similarity && refused.has(pair.second)).length / 600;
  expect(recall(0.9)).toBeGreaterThanOrEqual(0.99);
  expect(recall(0.8)).toBeGreaterThanOrEqual(0.95);
  expect(recall(0.7)).toBe(0);
});

test.each([0.5, 0.6, 0.7, 0.9, 0.95] as const)(
  'finds 95 % of the pairs at a threshold of %d',
  { tags: 'long' },
  (similarity) => {
    const { texts, pairs } = plantTexts({ seed: 5, texts: 600, pairs: 300, similarities: [similarity] });
    const refused = selectTexts(texts, similarity);
    expect(pairs.filter(({ second }) => refused.has(second)).length).toBeGreaterThanOrEqual(0.95 * pairs.length);
  },
);

for (const { count, tags } of [
  { count: 100, tags: [] },
  { count: 300, tags: ['long'] },
])
  test(`finds 95 % of ${count} vectors at a threshold of 0.6`, { tags }, () => {
    const generator = new TextGenerator(4);
    const direction = (): number[] => Array.from({ length: 64 }, () => generator.below(2001) - 1000);
    const rules = { unique: [{ kind: 'embedding', column: 'vector', threshold: 0.6 }], uniqueAgainst: [] } as const;
    const sign = createRowSigner(rules);
    const found = Array.from({ length: count }, () => {
      using selector = new Selector(rules);
      const [one, other] = [direction(), direction()];
      const along = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
      const length = one.reduce((sum, value) => sum + value * value, 0);
      const across = other.map((value, at) => value - (along / length) * (one[at] ?? 0));
      const factor = (0.8 / 0.6001) * Math.sqrt(length / across.reduce((sum, value) => sum + value * value, 0));
      const near = one.map((value, at) => value + factor * (across[at] ?? 0));
      selector.decide(0, sign({ vector: one }));
      return !selector.decide(1, sign({ vector: near })).accepted;
    });
    expect(found.filter(Boolean).length).toBeGreaterThanOrEqual(0.95 * found.length);
  });

test('finds near-duplicates among texts that share most of their words', () => {
  const generator = new TextGenerator(12);
  const template = generator.words(150).join(' ');
  const own = Array.from({ length: 500 }, () => generator.words(100));
  const copies = own.slice(400).map((words) => generator.edited(words, 2));
  const texts = [...own, ...copies].map((words) => `${template} ${words.join(' ')}`);
  const refused = selectTexts(texts, 0.9);
  expect([...refused.values()].every(({ of }, at) => of === [...refused.keys()][at]! - 100)).toBe(true);
  expect(refused.size).toBeGreaterThanOrEqual(98);
});
