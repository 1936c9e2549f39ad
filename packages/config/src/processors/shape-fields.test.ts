import { expect, test } from 'vitest';
import { type CellValue, field, Float } from '@data-designer/core';
import { shapeFields } from './shape-fields.ts';

test.each<[string, CellValue, ReturnType<typeof field>]>([
  ['what a template prints is text', '{{ n }}', field('v', 'utf8')],
  ['literals keep their types', true, field('v', 'bool')],
  ['an integer', 3, field('v', 'int64')],
  ['a float without fraction', new Float(3), field('v', 'float64')],
  ['an integer that no column holds', 2n ** 64n, field('v', 'utf8', { json: true })],
  ['nothing but null is text that is missing', null, field('v', 'utf8')],
  ['a list of one kind', ['a', null, '{{ b }}'], field('v', { list: 'utf8' })],
  ['a list of numbers', [1, 2.5], field('v', { list: 'float64' })],
  ['a list of several kinds is JSON', ['a', 1], field('v', 'utf8', { json: true })],
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
    'a member of several kinds alone is JSON',
    { a: [1, 'x'] },
    field('v', { struct: [field('a', 'utf8', { json: true })] }),
  ],
  ['a mapping whose keys are printed is JSON', { '{{ k }}': 1 }, field('v', 'utf8', { json: true })],
  ['an empty mapping is JSON', {}, field('v', 'utf8', { json: true })],
])('%s', (_claim, value, expected) => {
  expect(shapeFields({ v: value })).toEqual([expected]);
});

const json = (name: string) => field(name, 'utf8', { json: true });

test('where tags go over several entries any of them may be missing, and all are JSON', () => {
  expect(shapeFields({ a: '{% if n %}', b: 'x{% endif %}', c: 1 })).toEqual([json('a'), json('b'), json('c')]);
});
