import { expect, test } from 'vitest';
import { type CellValue, field, Float } from '@data-designer/core';
import { shapeFields, typedShapeFields } from './shape-fields.ts';

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

const read = new Map(
  [
    field('n', 'int64', { nullable: false }),
    field('day', { logical: 'date' }),
    field('gone', 'null'),
    field('text', 'utf8'),
    field('open', 'utf8', { json: true }),
    field('card', { struct: [field('title', 'utf8'), json('more'), field('tags', { list: 'utf8' })] }),
    field('talk', { list: { struct: [field('role', 'utf8'), json('content')] } }),
  ].map((one) => [one.name, one]),
);

test.each<[string, CellValue, ReturnType<typeof field>]>([
  ['a reference has the type of its column', '{{ n }}', field('v', 'int64')],
  ['a date stays a date', '{{ day }}', field('v', { logical: 'date' })],
  ['a column of nulls is text', '{{ gone }}', field('v', 'utf8')],
  ['JSON text stays JSON', '{{ open }}', json('v')],
  ['a whole object', '{{ card }}', field('v', read.get('card')?.type ?? 'utf8')],
  ['a member', '{{ card.tags }}', field('v', { list: 'utf8' })],
  ['an item', '{{ card.tags[0] }}', field('v', 'utf8')],
  ['a member without a type is JSON', '{{ card.more }}', json('v')],
  ['a member of an item', "{{ talk[0]['role'] }}", field('v', 'utf8')],
  ['a part of JSON text is JSON', '{{ open.a }}', json('v')],
  ['a part of text is JSON', '{{ text.a }}', json('v')],
  ['an unknown column is JSON', '{{ ghost }}', json('v')],
  ['a text with more than a reference is text', '{{ n }}!', field('v', 'utf8')],
  ['a list of references', ['{{ n }}', 3, null], field('v', { list: 'int64' })],
  ['a list of values of several types is JSON', ['{{ n }}', '{{ text }}'], json('v')],
  ['a list of JSON text is JSON', ['{{ open }}'], json('v')],
  [
    'an object with references',
    { a: '{{ n }}', b: ['{{ card.title }}'], c: '{{ open }}' },
    field('v', { struct: [field('a', 'int64'), field('b', { list: 'utf8' }), json('c')] }),
  ],
])('with the types of values: %s', (_claim, value, expected) => {
  expect(typedShapeFields({ v: value }, read)).toEqual([expected]);
});
