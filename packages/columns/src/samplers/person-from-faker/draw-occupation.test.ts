import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { occupationDraw } from './draw-occupation.ts';
import { loadNameData } from './name-data.ts';
import type { DataName } from './nearest-data.ts';

function occupations(name: DataName): string[] {
  const random = Random.of(1, 'work');
  const draw = occupationDraw(loadNameData(name), loadNameData('en_US'));
  return Array.from({ length: 2000 }, (_, row) => draw(random.at(row)));
}

test('a title has three parts, in the order of the language', () => {
  const english = loadNameData('en_US');
  const [descriptor = '', area = '', type = ''] = (occupations('en_US')[0] ?? '').split(' ');
  expect(english.texts('person.job_descriptor')).toContain(descriptor);
  expect(english.texts('person.job_area')).toContain(area);
  expect(english.texts('person.job_type')).toContain(type);
  expect(occupations('es').every((title) => title.includes(' de '))).toBe(true);
});

test('where a language has only kinds of work, these are titles', () => {
  expect(new Set(occupations('ar'))).toEqual(new Set(loadNameData('ar').texts('person.job_type')));
});

test('where it has none, titles are English', () => {
  expect(occupations('ja')).toEqual(occupations('en_US'));
});
