import { expect, test } from 'vitest';
import { ParseFailure } from '@data-designer/core';
import { textRecipe } from './text-recipe.ts';

test.each([
  ['  Some *words* <b>kept</b>\n\n```js\nx\n```\n', 'Some *words* <b>kept</b>\n\n```js\nx\n```'],
  ['', ''],
  ['<think>Bees?</think>\n\nBees hum.', 'Bees hum.'],
  ['Bees?\n</think>\n\nBees hum.', 'Bees hum.'],
  ['<think>Bees?</think>', ''],
  ['Use <think> to begin.', 'Use <think> to begin.'],
])('%j is the text %j', (answer, text) => {
  expect(textRecipe.parse(answer)).toBe(text);
});

test('thinking that does not end is a failure in words for the model', () => {
  expect(() => textRecipe.parse('<think>Bees? Or')).toThrow(ParseFailure);
});
