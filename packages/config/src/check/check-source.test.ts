import { expect, test } from 'vitest';
import { parseDocument } from '../load-document.ts';
import { checkSource } from './check-source.ts';

const told = (text: string) =>
  checkSource(parseDocument(text, { path: 'a.yaml', json: false })).map(
    ({ path, message, remedy, position }) => `${position?.line}:${position?.column} ${path}: ${message} ${remedy}`,
  );

const remedy = (word: string) => `Put quotes around it if you mean the text: '${word}'.`;

test('a key that is written twice is told with both lines', () => {
  expect(told('a: 1\nb: 2\na: 3\n')).toEqual([
    '3:1 a: this key is written in line 1 too, and only the value here counts. Remove one of them.',
  ]);
});

test('words that YAML reads as numbers or booleans are told where texts are meant', () => {
  expect(told('values: [NO, SE, yes]\nzip: 01234\nat: 12:30\n')).toEqual([
    `1:10 NO: YAML reads this as the boolean false. ${remedy('NO')}`,
    `1:18 yes: YAML reads this as the boolean true. ${remedy('yes')}`,
    `2:6 01234: YAML reads this as the number 668. ${remedy('01234')}`,
    `3:5 12:30: YAML reads this as the number 750. ${remedy('12:30')}`,
  ]);
  expect(told("values: ['NO', \"01\"]\nzip: '01234'\nat: '12:30'\n")).toEqual([]);
});

test.each([
  'a: yes',
  'a: off',
  'a: [true, false]',
  'a: 0',
  'a: -12',
  'a: 0x10',
  'a: 0.5',
  'a: 1_000',
  '012: b',
  'a: 08:00',
  'a: |\n  01234\n',
])('%s is told nothing of', (text) => expect(told(text)).toEqual([]));
