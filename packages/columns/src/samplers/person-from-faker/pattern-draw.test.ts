import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import type { NameData } from './name-data.ts';
import { patternDraw } from './pattern-draw.ts';

const LISTS: Readonly<Record<string, readonly string[]>> = {
  'person.first_name': ['Ada', 'Bo'],
  'location.city_suffix': ['ton', ' upon Sea'],
};

const data: NameData = {
  at: (path) => LISTS[path],
  texts: (path) => LISTS[path] ?? [],
  isOwn: (path) => path in LISTS,
};

function drawn(pattern: string): Set<string> {
  const random = Random.of(1, 'pattern');
  const draw = patternDraw(pattern, data);
  return new Set(Array.from({ length: 500 }, (_, row) => (draw ? draw(random.at(row)) : 'none')));
}

test('draws pieces from their lists and keeps the text between them', () => {
  expect(drawn('New {{person.firstName}}{{location.city_suffix}}!')).toEqual(
    new Set(['New Adaton!', 'New Ada upon Sea!', 'New Boton!', 'New Bo upon Sea!']),
  );
});

test('does not double a space that a list entry starts with', () => {
  expect(drawn('{{person.firstName}} {{location.city_suffix}}')).toEqual(
    new Set(['Ada ton', 'Ada upon Sea', 'Bo ton', 'Bo upon Sea']),
  );
});

test('a range of integers includes both ends', () => {
  expect(drawn('{{number.int({"max": 3, "min": 1})}}.')).toEqual(new Set(['1.', '2.', '3.']));
});

test('returns undefined if a list is missing', () => {
  expect(patternDraw('{{person.firstName}} {{company.noun}}', data)).toBeUndefined();
});

test('draws text without pieces unchanged', () => {
  expect(drawn('Main Street')).toEqual(new Set(['Main Street']));
});
