import { expect, test } from 'vitest';
import { hubPattern } from './hub-pattern.ts';

const PATHS = ['a.csv', 'b.csv', 'd/a.csv', 'd/e/a.csv', 'd/e/f/b.csv', 'd/x*y.csv', '.h/a.csv', 'd/e.csv/a.csv'];

test.each([
  ['a.csv', ['a.csv']],
  ['*.csv', ['a.csv', 'b.csv']],
  ['[!a].csv', ['b.csv']],
  ['d/?.csv', ['d/a.csv']],
  ['d/*', ['d/a.csv', 'd/x*y.csv']],
  ['d/**', ['d/a.csv', 'd/e/a.csv', 'd/e/f/b.csv', 'd/x*y.csv', 'd/e.csv/a.csv']],
  ['**/a.csv', ['a.csv', 'd/a.csv', 'd/e/a.csv', '.h/a.csv', 'd/e.csv/a.csv']],
  ['d/**/b.csv', ['d/e/f/b.csv']],
  ['**/e/**/*.csv', ['d/e/a.csv', 'd/e/f/b.csv']],
  ['**/**/b.csv', ['b.csv', 'd/e/f/b.csv']],
  ['d/x\\*y.csv', ['d/x*y.csv']],
  ['d/x[*]y.csv', ['d/x*y.csv']],
  ['D/A.csv', []],
  ['d', []],
])('%s matches %j', (text, files) => {
  expect(PATHS.filter(hubPattern(text).matches)).toEqual(files);
});

test.each([
  ['a.csv', '', false],
  ['*.csv', '', false],
  ['d/e/a.csv', 'd/e', false],
  ['d/e/*.csv', 'd/e', false],
  ['d/*/a.csv', 'd', true],
  ['d/**', 'd', true],
  ['**/*.csv', '', true],
  ['d/x\\[/a.csv', 'd', true],
])('%s is searched for in the folder %j, and in its subfolders: %s', (text, folder, isDeep) => {
  expect(hubPattern(text)).toMatchObject({ folder, isDeep });
});

test('matches a long pattern against a long path without exponential backtracking', () => {
  const { matches } = hubPattern(`${'**/a/'.repeat(200)}b.csv`);
  expect(matches(`${'a/'.repeat(2000)}c.csv`)).toBe(false);
  expect(matches(`${'a/'.repeat(2000)}b.csv`)).toBe(true);
});
