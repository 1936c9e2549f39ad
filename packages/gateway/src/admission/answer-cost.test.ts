import { expect, test } from 'vitest';
import { costOfAnswer } from './answer-cost.ts';

const PRICES = { input: 2, output: 10, cachedInput: 0.5, image: null };
const MILLION = 1_000_000;

/** The cost of an answer, in millionths of the currency. */
const cost = (answer: unknown, pricing: Parameters<typeof costOfAnswer>[2] = PRICES) =>
  costOfAnswer(typeof answer === 'string' ? answer : JSON.stringify(answer), 'chat/completions', pricing) * MILLION;

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
const say = (content: unknown) => [{ index: 0, message: { role: 'assistant', content } }];

test('tokens are read from the usage of OpenAI chat completions, newer OpenAI APIs and Anthropic', () => {
  expect(cost({ choices: say('Hi'), usage: USAGE })).toBeCloseTo(300);
  expect(cost({ data: [], usage: { input_tokens: 100, output_tokens: 10 } })).toBeCloseTo(300);
  expect(cost({ data: [[0.5]], usage: { prompt_tokens: 100, total_tokens: 100 } })).toBeCloseTo(200);
});

test('cached input has its own price: OpenAI includes it in the input tokens, Anthropic does not', () => {
  const prompt_tokens_details = { cached_tokens: 60, audio_tokens: 0 };
  expect(cost({ usage: { ...USAGE, prompt_tokens_details } })).toBeCloseTo(40 * 2 + 60 * 0.5 + 100);
  const anthropic = {
    input_tokens: 40,
    cache_creation_input_tokens: 7,
    cache_read_input_tokens: 60,
    output_tokens: 10,
  };
  expect(cost({ usage: anthropic })).toBeCloseTo(47 * 2 + 60 * 0.5 + 100);
  expect(cost({ usage: { ...USAGE, prompt_tokens_details } }, { ...PRICES, cachedInput: null })).toBeCloseTo(300);
});

test.each<[string, unknown]>([
  ['before the answer', { usage: USAGE, choices: say('Hi') }],
  ['between others', { choices: say('Hi'), usage: USAGE, system_fingerprint: 'x' }],
  ['spread over lines', JSON.stringify({ choices: say('Hi'), usage: USAGE }, null, 2)],
  ['next to an answer that mentions usage', { usage: USAGE, choices: say('{"usage": {"prompt_tokens": 9}}') }],
  ['next to a tool call with a usage argument', { usage: USAGE, content: [{ input: { usage: { of: 'water' } } }] }],
  ['with braces and quotes in its texts', { usage: { ...USAGE, service_tier: 'a}"{\\' } }],
])('usage is found %s', (_, answer) => {
  expect(cost(answer)).toBeCloseTo(300);
});

test.each<[string, unknown]>([
  ['no usage', { choices: say('Hi') }],
  ['a null usage', { choices: say('Hi'), usage: null }],
  ['a usage of nothing', { usage: {} }],
  ['no JSON', '<html>"usage": {'],
  ['nothing', ''],
])('an answer with %s costs nothing', (_, answer) => {
  expect(cost(answer)).toBe(0);
});

test('images are counted if they have a price', () => {
  const body = JSON.stringify({ data: [{ b64_json: 'aGk=' }, { url: 'https://x/y.png' }], usage: USAGE });
  const priced = { ...PRICES, image: 0.04 };
  expect(costOfAnswer(body, 'images/generations', priced)).toBeCloseTo(0.0803);
  expect(costOfAnswer(body, 'images/generations', PRICES)).toBeCloseTo(0.0003);
  const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }];
  const chat = JSON.stringify({ choices: [{ message: { content: '', images } }], usage: USAGE });
  expect(costOfAnswer(chat, 'chat/completions', priced)).toBeCloseTo(0.0403);
});
