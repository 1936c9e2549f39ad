import { expect, test } from 'vitest';
import { type CellValue, Float, type Row } from '@data-designer/core';
import { compileTypedTemplate, type ObjectTemplate, referenceIn, type TemplateMode } from './index.ts';

const made = (template: ObjectTemplate, record: Row = {}, mode: TemplateMode = 'secure'): Row =>
  compileTypedTemplate(template, { mode })(record);
const failing = (code: string): unknown => expect.objectContaining({ code });

const RECORD = {
  n: 5,
  big: 2n ** 60n,
  whole: new Float(2),
  yes: true,
  nothing: null,
  list: [1, 'a', { k: null }],
  deep: { items: ['x', 'y'], keys: { a: 1 }, text: '[1, 2]', gap: null },
  json: '{"a": [true]}',
  numeral: '42',
  smile: '😀b',
};

test.each<[string, CellValue, CellValue]>([
  ['a number stays a number', '{{ n }}', 5],
  ['an integer beyond doubles stays one', '{{ big }}', 2n ** 60n],
  ['a float without a fraction stays a float', '{{ whole }}', new Float(2)],
  ['a boolean stays a boolean', '{{ yes }}', true],
  ['null stays null', '{{ nothing }}', null],
  ['a list stays a list', '{{ list }}', RECORD.list],
  ['text that is JSON stays text', '{{ numeral }}', '42'],
  ['text that is JSON within a value stays text', '{{ deep.text }}', '[1, 2]'],
  ['a member', '{{ deep.keys }}', { a: 1 }],
  ['a member with the name of a method', '{{ deep.items }}', ['x', 'y']],
  ['a member by its key, and an item', "{{ deep['items'][1] }}", 'y'],
  ['an item counted from the end', '{{ list[-1].k }}', null],
  ['a part of JSON text', '{{ json.a[0] }}', true],
  ['a character of a text, by code points', '{{ smile[1] }}', 'b'],
  ['a missing member is null', '{{ deep.none }}', null],
  ['a missing item is null', '{{ list[9] }}', null],
  ['a member of null is null', '{{ deep.gap.more }}', null],
  ['white space around a reference does not count', '\n {{- n -}} \n', 5],
  ['a text around a reference gives text', 'is {{ list }}', 'is [1, "a", {"k": null}]'],
  ['two references give text', '{{ n }}{{ n }}', '55'],
  ['an expression gives text', '{{ n + 1 }}', '6'],
  ['a filter gives text', '{{ list | length }}', '3'],
  ['literals keep their values', [1, null, 'x', new Float(1)], [1, null, 'x', new Float(1)]],
  ['references in lists and objects', { a: ['{{ n }}', 'n={{ n }}'] }, { a: [5, 'n=5'] }],
  ['a key can be a template', { 'k{{ n }}': '{{ yes }}' }, { k5: true }],
])('%s', (_claim, value, expected) => {
  expect(made({ v: value }, RECORD)).toEqual({ v: expected });
});

test('each text is a template by itself', () => {
  expect(() => made({ a: '{% if n %}', b: '{% endif %}' }, { n: 1 })).toThrow(failing('template/syntax'));
  expect(() => made({ a: '{% set x = n %}-', b: '{{ x + 1 }}' }, { n: 1 }, 'native')).toThrow(/the name 'x'/);
});

test('an unknown column is refused', () => {
  expect(() => made({ a: '{{ ghost }}' }, { n: 1 })).toThrow(/the name 'ghost', which is not a column.*Columns: n/);
  expect(() => made({ a: 'x {{ ghost }}' }, { n: 1 })).toThrow(failing('template/refused'));
  expect(() => made({ a: '{{ v' }, { v: 1 })).toThrow(failing('template/syntax'));
});

test('a part of a missing member fails, as without types', () => {
  expect(() => made({ a: '{{ d.x.y }}' }, { d: {} })).toThrow(failing('template/empty-render'));
});

test('the rules of the mode apply', () => {
  expect(() => made({ a: '{{ v | join }}' }, { v: [1] })).toThrow(failing('template/unsupported-filter'));
  expect(made({ a: "{{ v | join('-') }}" }, { v: [1, 2] }, 'native')).toEqual({ a: '1-2' });
});

test('a reference is a name with literal steps', () => {
  expect(referenceIn('{{ a.b[0]["c"] }}')).toEqual({
    column: 'a',
    steps: [
      { key: 'b', isAttribute: true },
      { key: 0, isAttribute: false },
      { key: 'c', isAttribute: false },
    ],
  });
  for (const text of ['a', '{{ a }}!', '{{ a[b] }}', '{{ a() }}', '{{ a | upper }}', '{{ a', '{# a #}', '{{ 3 }}']) {
    expect(referenceIn(text)).toBeUndefined();
  }
});
