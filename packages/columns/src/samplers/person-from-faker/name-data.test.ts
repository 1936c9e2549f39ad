import { expect, test } from 'vitest';
import { loadNameData } from './name-data.ts';

test('a locale has its own lists', () => {
  const swedish = loadNameData('sv');
  expect(swedish.texts('person.first_name.female')).toContain('Agneta');
  expect(swedish.isOwn('person.first_name')).toBe(true);
});

test('a list that a locale lacks comes from its language', () => {
  const austrian = loadNameData('de_AT');
  expect(austrian.texts('location.country')).toContain('Österreich');
  expect(austrian.isOwn('location.country')).toBe(true);
});

test('a list that its language lacks is English and not its own', () => {
  const hungarian = loadNameData('hu');
  expect(hungarian.texts('location.country')).toContain('Sweden');
  expect(hungarian.isOwn('location.country')).toBe(false);
});

test('English locales own the English lists', () => {
  expect(loadNameData('en_US').isOwn('location.country')).toBe(true);
});

test('returns no texts for an unknown or empty path', () => {
  const azerbaijani = loadNameData('az');
  expect(azerbaijani.texts('location.nothing.at_all')).toEqual([]);
  expect([azerbaijani.texts('location.state'), azerbaijani.isOwn('location.state')]).toEqual([[], false]);
});

test('first names combine those of women and men if the locale has no common list', () => {
  const spanish = loadNameData('es');
  const texts = spanish.texts('person.first_name');
  expect(texts).toEqual(expect.arrayContaining(['Adriana', 'Alberto']));
});
