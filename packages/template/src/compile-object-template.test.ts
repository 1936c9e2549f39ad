import { expect, test } from 'vitest';
import { Float, type Row } from '@data-designer/core';
import { compileObjectTemplate, type ObjectTemplate, type TemplateMode } from './index.ts';

const made = (template: ObjectTemplate, record: Row = {}, mode: TemplateMode = 'secure'): Row =>
  compileObjectTemplate(template, { mode })(record);
const failing = (code: string): unknown => expect.objectContaining({ code });

test.each([
  ['a string stays a string even if it prints a number', { v: '{{ n }}', w: '{{ b }}' }, { v: '5', w: 'true' }],
  ['literals keep their values', { a: [1, null, true], f: new Float(2) }, { a: [1, null, true], f: new Float(2) }],
  ['quotes and line breaks of a value do not end the string', { v: 'x {{ text }}' }, { v: 'x say "hi"\n\\ on' }],
  ['lists and maps print as JSON', { v: '{{ list }}' }, { v: '[1, "a\\"b", {"k": null}]' }],
  ['keys of a map take precedence over its methods', { v: '{{ d.items }} {{ d["keys"] }}' }, { v: 'data 7' }],
  ['an expression can contain a double-quoted string', { v: '{{ text | replace("\\n", "") | length }}' }, { v: '13' }],
  ['an expression can span several lines', { v: '{{ n\n  + 1 }}' }, { v: '6' }],
  ['non-ASCII letters stay unescaped', { größe: 'é {{ "ü" }} {{ Größe }}' }, { größe: 'é ü 3' }],
  ['a key can be a template', { '{{ d.items }}': 1 }, { data: 1 }],
  ['tags can span several entries', { a: '{% if n > 9 %}', b: 'x{% endif %}y' }, { a: 'y' }],
  ['escaped text is not escaped a second time', { v: '{% autoescape true %}{{ text }}{% endautoescape %}' }, undefined],
] satisfies [string, ObjectTemplate, Row | undefined][])('%s', (_claim, template, object) => {
  const text = 'say "hi"\n\\ on';
  const record = { n: 5, b: true, text, list: [1, 'a"b', { k: null }], d: { items: 'data', keys: 7 }, Größe: 3 };
  expect(made(template, record)).toEqual(object ?? { v: 'say &#34;hi&#34;\n\\ on' });
});

test('the rules of the mode apply to the whole object', () => {
  expect(() => made({ a: '{{ v | join }}' }, { v: [1] })).toThrow(failing('template/unsupported-filter'));
  expect(made({ a: "{{ v | join('-') }}" }, { v: [1, 2] }, 'native')).toEqual({ a: '1-2' });
  expect(() => made({ a: '{{ ghost }}' })).toThrow(failing('template/refused'));
  expect(() => made({ a: '{{ d.x.y }}' }, { d: {} })).toThrow(failing('template/empty-render'));
  expect(() => made({ a: '{{ v' }, { v: 1 })).toThrow(failing('template/syntax'));
});

test('output that is not JSON fails with template/record', () => {
  const template = { a: '{% filter upper %}x\n{% endfilter %}' };
  expect(() => made(template)).toThrow(failing('template/record'));
});

test('NaN and infinities are kept', () => {
  expect(made({ a: NaN, b: [-Infinity], c: 'NaN' })).toEqual({ a: NaN, b: [-Infinity], c: 'NaN' });
});
