import { expect, test } from 'vitest';
import { plantTexts, TextGenerator } from '../../bench/src/select/planted-texts.ts';
import { selectTexts } from '../../bench/src/select/select-texts.ts';

test('refuses almost all near-duplicates, and no other text', () => {
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
  expect(recall(0.8)).toBeGreaterThanOrEqual(0.9);
  expect(recall(0.7)).toBe(0);
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
