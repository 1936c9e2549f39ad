import { expect, test } from 'vitest';
import { Float } from '@data-designer/core';
import { readTokens } from './read-tokens.ts';

test.each([
  [
    { prompt_tokens: 3, completion_tokens: 4 },
    { input: 3, cachedInput: null, output: 4, reasoning: null },
  ],
  [
    { input_tokens: 3, output_tokens: 4 },
    { input: 3, cachedInput: null, output: 4, reasoning: null },
  ],
  [
    {
      prompt_tokens: 3,
      completion_tokens: 4,
      prompt_tokens_details: { cached_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 1 },
    },
    { input: 3, cachedInput: 2, output: 4, reasoning: 1 },
  ],
  [
    { output_tokens: 4, output_tokens_details: { reasoning_tokens: 1 } },
    { input: null, cachedInput: null, output: 4, reasoning: 1 },
  ],
  [
    { prompt_tokens: new Float(3), completion_tokens: '4' },
    { input: 3, cachedInput: null, output: null, reasoning: null },
  ],
  [
    { prompt_tokens: 1e30, completion_tokens: 4 },
    { input: null, cachedInput: null, output: null, reasoning: null },
  ],
  [
    { prompt_tokens: 3, completion_tokens: -4 },
    { input: null, cachedInput: null, output: null, reasoning: null },
  ],
  [
    { input_tokens: 1e9, output_tokens: 0 },
    { input: 1e9, cachedInput: null, output: 0, reasoning: null },
  ],
  [null, { input: null, cachedInput: null, output: null, reasoning: null }],
])('reads the tokens of %j', (usage, tokens) => {
  expect(readTokens(usage)).toEqual(tokens);
});
