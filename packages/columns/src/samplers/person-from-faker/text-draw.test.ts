import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { joinedDraws, oneOfDraws, type TextDraw } from './text-draw.ts';
import { uniformChoice } from '../weighted-choice.ts';

const random = Random.of(1, 'text');

function drawn(draw: TextDraw, rows = 2000): Set<string> {
  return new Set(Array.from({ length: rows }, (_, row) => draw(random.at(row))));
}

test('draws every text of a list and nothing else', () => {
  expect(drawn(uniformChoice(['a', 'b', 'c']))).toEqual(new Set(['a', 'b', 'c']));
});

test('draws from every option', () => {
  expect(drawn(oneOfDraws([uniformChoice(['a', 'b']), () => 'c']))).toEqual(new Set(['a', 'b', 'c']));
});

test('a single option uses no random draw of its own', () => {
  const list = uniformChoice(['a', 'b', 'c', 'd']);
  expect(oneOfDraws([list])(random.at(5))).toBe(list(random.at(5)));
});

test('joins texts and draws in order, each with its own random draws', () => {
  const list = uniformChoice(['a', 'b']);
  expect(drawn(joinedDraws([list, '-', list]))).toEqual(new Set(['a-a', 'a-b', 'b-a', 'b-b']));
  expect(joinedDraws([])(random)).toBe('');
  expect(joinedDraws(['fixed'])(random)).toBe('fixed');
});
