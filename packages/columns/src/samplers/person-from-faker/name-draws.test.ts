import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { nameDraws } from './name-draws.ts';
import { loadNameData } from './name-data.ts';
import type { DataName } from './faker-locales.ts';

function names(name: DataName, sex: 'Female' | 'Male', part: 'first' | 'last'): string[] {
  const random = Random.of(1, 'names');
  const draw = nameDraws(loadNameData(name))[sex][part];
  return Array.from({ length: 4000 }, (_, row) => draw(random.at(row)));
}

test('first names match the sex', () => {
  const women = new Set(loadNameData('sv').texts('person.first_name.female'));
  expect(new Set(names('sv', 'Female', 'first'))).toEqual(women);
  expect(names('sv', 'Male', 'first').filter((name) => women.has(name))).toEqual([]);
});

test('a locale without first names by sex draws from all of them', () => {
  expect(names('ka_GE', 'Female', 'first')).toEqual(names('ka_GE', 'Male', 'first'));
});

test('last names follow the sex in languages that inflect them', () => {
  expect(new Set(names('cs_CZ', 'Female', 'last'))).toContain('Adamová');
  expect(names('cs_CZ', 'Male', 'last')).not.toContain('Adamová');
});

test('double last names follow the rules of the language', () => {
  expect(names('es', 'Male', 'last').every((name) => name.split(' ').length > 1)).toBe(true);
  const hyphenated = names('en_US', 'Male', 'last').filter((name) => name.includes('-')).length / 4000;
  expect(Math.abs(hyphenated - 0.05)).toBeLessThan(0.015);
  expect(names('th', 'Male', 'last').filter((name) => name.includes('-'))).toEqual([]);
});
