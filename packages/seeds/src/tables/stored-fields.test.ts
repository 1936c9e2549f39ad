import { expect, test } from 'vitest';
import { type ArrowField, field } from '@data-designer/core';
import { storedFields } from './stored-fields.ts';

const names = (...given: string[]) => storedFields(given.map((name) => field(name, 'utf8'))).map(({ name }) => name);

test('keeps distinct names', () => {
  expect(names('a', 'b c', 'd.e', 'Größe', '"')).toEqual(['a', 'b c', 'd.e', 'Größe', '"']);
});

test.each([
  [
    ['Name', 'name', 'NAME'],
    ['Name', 'name_1', 'NAME_2'],
  ],
  [
    ['a', 'a_1', 'A'],
    ['a', 'a_1', 'A_2'],
  ],
  [
    ['', ''],
    ['column', 'column_1'],
  ],
  [
    ['__proto__', 'constructor'],
    ['___proto__', '_constructor'],
  ],
  [
    ['a\0b', '\uD800'],
    ['ab', '\uFFFD'],
  ],
])('%j are stored as %j', (given, stored) => {
  expect(names(...given)).toEqual(stored);
});

test('gives struct members distinct names without dots at any depth', () => {
  const inner: ArrowField[] = [field('A', 'int64'), field('a', 'int64'), field('x.y', 'utf8')];
  const [stored] = storedFields([field('s', { list: { struct: [field('t', { struct: inner })] } })]);
  expect(stored?.type).toMatchObject({
    list: { struct: [{ name: 't', type: { struct: [{ name: 'A' }, { name: 'a_1' }, { name: 'x_y' }] } }] },
  });
});
