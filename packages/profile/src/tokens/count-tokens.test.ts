import { expect, test } from 'vitest';
import { countTokens } from './count-tokens.ts';

test('texts are counted in tokens of cl100k_base', async () => {
  expect(await countTokens(['', 'hello world', 'Tell of salt.'])).toEqual([0, 2, 4]);
});

test('special tokens of models are counted as plain text', async () => {
  const [count = 0] = await countTokens(['<|endoftext|>']);
  expect(count).toBeGreaterThan(1);
});

test('a very long word is counted approximately', async () => {
  const [count = 0] = await countTokens(['ab'.repeat(100_000)]);
  expect(count).toBeGreaterThan(90_000);
  expect(count).toBeLessThan(110_000);
});
