import { expect, test } from 'vitest';
import { describeRowChoice, formatRowChoice, parseRowChoice, type RowChoice } from './compared-rows.ts';

test.each<readonly [RowChoice, string | undefined, string | undefined]>([
  [{ of: 'changed' }, undefined, undefined],
  [{ of: 'all' }, 'all', undefined],
  [{ of: 'column', name: 'a:b' }, 'column:a:b', 'a:b differs'],
  [{ of: 'measure', kind: 'score', direction: 'fell', name: 'g.Tone' }, 'score:fell:g.Tone', 'g.Tone fell'],
  [
    { of: 'measure', kind: 'tokens-written', direction: 'rose', name: 'x:y' },
    'tokens-written:rose:x:y',
    'tokens written for x:y rose',
  ],
])('an address names %j', (choice, text, described) => {
  expect(formatRowChoice(choice)).toBe(text);
  expect(parseRowChoice(text ?? null)).toEqual(choice);
  expect(describeRowChoice(choice)).toBe(described);
});

test.each(['', 'score', 'score:up:x', 'taste:rose:x'])('the address %j names the rows with a difference', (text) => {
  expect(parseRowChoice(text)).toEqual({ of: 'changed' });
});
