import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '@data-designer/testing/test-folder';
import { loadPrices } from './load-prices.ts';

const folder = testFolder('prices');

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test('in our own format, a price for one provider takes precedence over a price for any', () => {
  const priceOf = loadPrices(
    file(
      'own.yaml',
      `prices:
  - { model: big, input: 2, output: 8, cached_input: 0.5 }
  - { model: big, provider: cheap, input: 1, output: 4 }
  - { model: painter, input: 0, output: 0, image: 0.04 }
`,
    ),
  );
  expect(priceOf('any', 'big')).toEqual({ input: 2, output: 8, cachedInput: 0.5, image: null });
  expect(priceOf('cheap', 'big')).toEqual({ input: 1, output: 4, cachedInput: null, image: null });
  expect(priceOf('any', 'painter')?.image).toBe(0.04);
  expect(priceOf('any', 'small')).toBeUndefined();
});

test("LiteLLM's prices per token become prices per million tokens, by model or by provider and model", () => {
  const priceOf = loadPrices(
    file(
      'litellm.json',
      JSON.stringify({
        sample_spec: { input_cost_per_token: 0 },
        'gpt-x': { input_cost_per_token: 2.5e-6, output_cost_per_token: 1e-5, cache_read_input_token_cost: 1.25e-6 },
        'openrouter/gpt-x': { input_cost_per_token: 3e-6, output_cost_per_token: 1.2e-5 },
        painter: { output_cost_per_image: 0.04 },
        free: { max_tokens: 100 },
      }),
    ),
  );
  expect(priceOf('openai', 'gpt-x')).toEqual({ input: 2.5, output: 10, cachedInput: 1.25, image: null });
  expect(priceOf('openrouter', 'gpt-x')).toEqual({ input: 3, output: 12, cachedInput: null, image: null });
  expect(priceOf('openai', 'painter')).toEqual({ input: 0, output: 0, cachedInput: null, image: 0.04 });
  expect(priceOf('openai', 'free')).toBeUndefined();
  expect(priceOf('openai', 'sample_spec')).toBeUndefined();
});

test.each([
  ['nothing.json', '{}', 'config/unreadable'],
  ['list.json', '[]', 'config/unreadable'],
  ['negative.yaml', 'prices: [{ model: a, input: -1, output: 1 }]', 'config/invalid'],
  ['unknown.yaml', 'prices: [{ model: a, input: 1, output: 1, inptu: 3 }]', 'config/invalid'],
])('%s with %s fails with %s', (name, text, code) => {
  expect(() => loadPrices(file(name, text))).toThrow(expect.objectContaining({ code }));
});
