import { expect, test } from 'vitest';
import { countTokens } from './count-tokens.ts';

test('texts are counted as cl100k_base has them', async () => {
  expect(await countTokens(['', 'hello world', 'Tell of salt.'])).toEqual([0, 2, 4]);
});

test('words that mean something to models are text like other', async () => {
  const [count = 0] = await countTokens(['<|endoftext|>']);
  expect(count).toBeGreaterThan(1);
});

test('a single word of any length is counted, nearly as it is', async () => {
  const [count = 0] = await countTokens(['ab'.repeat(100_000)]);
  expect(count).toBeGreaterThan(90_000);
  expect(count).toBeLessThan(110_000);
});
