import { expect, test } from 'vitest';
import { type CellValue, field, Float } from '@data-designer/core';
import { shapeFields } from './shape-fields.ts';

test.each<[string, CellValue, ReturnType<typeof field>]>([
  ['the output of a template is text', '{{ n }}', field('v', 'utf8')],
  ['literals keep their types', true, field('v', 'bool')],
  ['an integer is int64', 3, field('v', 'int64')],
  ['a float without a fraction stays a float', new Float(3), field('v', 'float64')],
  ['an integer beyond 64 bits is JSON', 2n ** 64n, field('v', 'utf8', { json: true })],
  ['null alone is text', null, field('v', 'utf8')],
  ['a list of one type keeps its element type', ['a', null, '{{ b }}'], field('v', { list: 'utf8' })],
  ['a list of integers and floats is a list of floats', [1, 2.5], field('v', { list: 'float64' })],
  ['a list of several types is JSON', ['a', 1], field('v', 'utf8', { json: true })],
  ['an empty list is JSON', [], field('v', 'utf8', { json: true })],
  [
    'messages are a list of objects',
    [
      { role: 'user', content: '{{ a }}' },
      { role: 'tool', content: '{{ b }}' },
    ],
    field('v', { list: { struct: [field('role', 'utf8'), field('content', 'utf8')] } }),
  ],
  [
    'only the member with several types is JSON',
    { a: [1, 'x'] },
    field('v', { struct: [field('a', 'utf8', { json: true })] }),
  ],
  ['a mapping with a template as a key is JSON', { '{{ k }}': 1 }, field('v', 'utf8', { json: true })],
  ['an empty mapping is JSON', {}, field('v', 'utf8', { json: true })],
])('%s', (_claim, value, expected) => {
  expect(shapeFields({ v: value })).toEqual([expected]);
});

const json = (name: string) => field(name, 'utf8', { json: true });

test('all entries are JSON if a tag spans several of them', () => {
  expect(shapeFields({ a: '{% if n %}', b: 'x{% endif %}', c: 1 })).toEqual([json('a'), json('b'), json('c')]);
});
