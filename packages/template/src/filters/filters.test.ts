import { expect, test } from 'vitest';
import { compileTemplate } from '../index.ts';
import { FILTER_NAMES } from '../syntax/builtin-names.ts';
import { FILTERS, SECURE_FILTERS } from './filters.ts';

const render = (source: string): string => compileTemplate(source, { mode: 'native' })({});

test('every secure filter exists', () => {
  expect([...SECURE_FILTERS].filter((name) => !FILTERS.has(name))).toEqual([]);
});

test('every Jinja2 filter exists', () => {
  expect([...FILTER_NAMES].filter((name) => !FILTERS.has(name))).toEqual([]);
});

test.each([
  ["{{ 'a b-c (d)' | title }} {{ 'aBC' | capitalize }}", 'A B-C (D) Abc'],
  ["{{ '3.7' | int }} {{ 'x' | int(-1) }} {{ '0x1A' | int(base=16) }} {{ '1_0' | float }}", '3 -1 26 10.0'],
  ["{{ 'one two three four' | truncate(11) }}", 'one two...'],
  [
    "{{ ['b', 'A', 'c'] | sort }} {{ [3, 1] | sort(reverse=true) }} {{ [1, 1.0, 2] | unique | list }}",
    "['A', 'b', 'c'] [3, 1] [1, 2]",
  ],
  ["{{ [{'n': 2}, {'n': 1}] | map(attribute='n') | list }} {{ [1, 2] | select('odd') | list }}", '[2, 1] [1]'],
  ["{{ {'b': [1, 2.0], 'a': \"<'é\"} | tojson }}", '{"a": "\\u003c\\u0027\\u00e9", "b": [1, 2.0]}'],
  ["{{ none | default('x') }} {{ nope | default('x') }} {{ '' | default('x', true) }}", 'None x x'],
  [
    "{{ {'a': {'b': [{'c': 1}, {'c': 2}]}} | jsonpath('$.a.b[*].c') }} {{ {'a': {'c': 1}} | jsonpath('$..c') }}",
    '[1, 2] [1]',
  ],
  ["{{ ('<' | escape) + '<' }} {{ '<' | escape | escape }}", '&lt;&lt; &lt;'],
])('%s gives %s', (source, text) => {
  const wide = source.replace('nope', '{}.nope');
  expect(render(wide)).toBe(text);
});

test('random draws only from the given source', () => {
  const run = compileTemplate('{{ [1, 2, 3] | random }}');
  expect(run({}, () => 0.5)).toBe('2');
  expect(() => run({})).toThrow(expect.objectContaining({ code: 'template/refused' }));
});
