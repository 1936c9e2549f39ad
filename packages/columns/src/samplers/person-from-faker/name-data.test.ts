import { expect, test } from 'vitest';
import { loadNameData } from './name-data.ts';

test('a locale has its own lists', () => {
  const swedish = loadNameData('sv');
  expect(swedish.texts('person.first_name.female')).toContain('Agneta');
  expect(swedish.isOwn('person.first_name')).toBe(true);
});

test('what a locale lacks is of its language', () => {
  const austrian = loadNameData('de_AT');
  expect(austrian.texts('location.country')).toContain('Österreich');
  expect(austrian.isOwn('location.country')).toBe(true);
});

test('what its language lacks is English, and is told apart', () => {
  const hungarian = loadNameData('hu');
  expect(hungarian.texts('location.country')).toContain('Sweden');
  expect(hungarian.isOwn('location.country')).toBe(false);
});

test('English lists are the own ones of English locales', () => {
  expect(loadNameData('en_US').isOwn('location.country')).toBe(true);
});

test('there are no texts at a path where nothing is, or that is known to be empty', () => {
  const azerbaijani = loadNameData('az');
  expect(azerbaijani.texts('location.nothing.at_all')).toEqual([]);
  expect([azerbaijani.texts('location.state'), azerbaijani.isOwn('location.state')]).toEqual([[], false]);
});

test('names of women and of men make the names of anybody where these are not listed', () => {
  const spanish = loadNameData('es');
  const texts = spanish.texts('person.first_name');
  expect(texts).toEqual(expect.arrayContaining(['Adriana', 'Alberto']));
});
