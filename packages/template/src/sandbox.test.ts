import { describe, expect, test } from 'vitest';
import { type CellValue, DataDesignerError, type Row } from '@data-designer/core';
import { compileTemplate, compileValue, type TemplateMode } from './index.ts';

/** Lists within each other, more than a value may have. */
const deep = Array.from({ length: 201 }).reduce<CellValue>((inner) => [inner], 1);

const RECORD: Row = { v: 'tide', d: { k: 1 }, l: [1, 2], i: 5, deep };

function outcome(source: string, mode: TemplateMode = 'secure'): string {
  try {
    return compileTemplate(source, { mode })(RECORD);
  } catch (thrown) {
    if (thrown instanceof DataDesignerError) return thrown.code;
    throw thrown;
  }
}

describe('templates cannot reach JavaScript members or Python internals:', () => {
  const NAMES = [
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'prototype',
    'valueOf',
    '__class__',
    '__defineGetter__',
  ];
  const OWNERS = [
    'v',
    'd',
    'l',
    'i',
    '(1,)',
    '{1: 2}',
    'range',
    'range(3)',
    'd.items()',
    'namespace(a=1)',
    '2.5',
    'none',
    'v.upper',
    '([d] | groupby("k") | first)',
  ];

  test.each(NAMES)('%s', (name) => {
    for (const owner of OWNERS) {
      expect(outcome(`{{ ${owner}.${name} }}`, 'native')).toBe('');
      expect(outcome(`{{ ${owner}['${name}'] }}`, 'native')).toBe('');
      expect(outcome(`{{ '{0.${name}}'.format(${owner}) }}`, 'native')).toBe('');
      expect(outcome(`{{ ${owner}.${name}.${name}('return 1')() }}`, 'native')).toMatch(
        /^template\/(empty-render|refused)$/,
      );
    }
  });

  test('JavaScript globals are not columns', () => {
    for (const name of [
      'process',
      'globalThis',
      'this',
      'global',
      'hasOwnProperty',
      'constructor',
      'undefined',
      'null',
    ]) {
      expect(outcome(`{{ ${name} }}`)).toBe('template/refused');
    }
  });

  test('a record can have keys of these names', () => {
    const record = { d: JSON.parse('{"constructor": "as data", "__proto__": "plain"}') as Row };
    expect(compileTemplate('{{ d.constructor }} {{ d["__proto__"] }}')(record)).toBe('as data plain');
  });

  test('methods that change a value are refused', () => {
    for (const call of [
      'l.append(1)',
      'l.sort()',
      'd.update({})',
      "d.pop('k')",
      '[].clear()',
      "d.setdefault('x', 1)",
    ]) {
      expect(outcome(`{{ ${call} }}`, 'native')).toBe('template/refused');
    }
  });

  test('printing a method or an iterator is refused', () => {
    for (const source of [
      '{{ v.upper }}',
      '{{ [v.upper] }}',
      '{{ l | reverse }}',
      '{{ range }}',
      '{{ v.format ~ 1 }}',
    ]) {
      expect(outcome(source)).toBe('template/refused');
    }
  });
});

describe('secure templates', () => {
  test.each([
    '{% set x = 1 %}x',
    '{% macro m() %}{% endmacro %}x',
    "{% import 'a' as b %}x",
    "{% extends 'a' %}",
    '{% block b %}x{% endblock %}',
    "{% include 'a' %}",
    '{{ self }}',
    '{% for a in l %}{% for b in l %}{% endfor %}{% endfor %}x',
    '{% for a in l %}{% else %}{% for b in l %}{% endfor %}{% endfor %}x',
    '{% for a in l recursive %}{% endfor %}x',
    '{% with self = 1 %}x{% endwith %}',
  ])('refuse %s', (source) => {
    expect(outcome(source)).toBe('template/refused');
  });

  test('have few filters, and the error lists them', () => {
    expect(outcome("{{ l | join(', ') }}")).toBe('template/unsupported-filter');
    expect(() => compileTemplate('{{ l | tojson }}')).toThrow(/'tojson' is not supported. Use one of: abs, capitalize/);
  });

  test('fail for a filter on a branch only when the branch is taken', () => {
    expect(outcome('{% if false %}{{ v | join }}{% endif %}x')).toBe('x');
    expect(outcome('{% if true %}{{ v | join }}{% endif %}x')).toBe('template/unsupported-filter');
  });

  test('have at most 10 levels and 600 nodes', () => {
    expect(outcome(`{{ v${'|trim'.repeat(7)} }}`)).toBe('tide');
    expect(outcome(`{{ v${'|trim'.repeat(8)} }}`)).toBe('template/limit');
    expect(outcome('{{ i }}'.repeat(599))).toBe('5'.repeat(599));
    expect(outcome('{{ i }}'.repeat(600))).toBe('template/limit');
  });

  test('that only this tool has may be deeper and larger', () => {
    const options = { isPortable: false };
    expect(compileTemplate(`{{ v${'|trim'.repeat(8)} }}`, options)({ v: ' a ' })).toBe('a');
    expect(compileTemplate('{{ i }}'.repeat(601), options)({ i: 5 })).toHaveLength(601);
    expect(compileValue(`{{ v${'|trim'.repeat(8)} }}`)({ v: ' a ' })).toBe('a');
    expect(() => compileTemplate('{% set a = 1 %}{{ a }}', options)).toThrow('may not use');
  });

  test('make at most 512,000 characters', () => {
    expect(outcome("{{ 'x' * 512000 }}")).toHaveLength(512_000);
    expect(outcome("{{ 'x' * 512001 }}")).toBe('template/limit');
    expect(outcome("{{ '🐝' * 512000 }}")).toHaveLength(1_024_000);
    expect(outcome("{{ '🐝' * 512001 }}")).toBe('template/limit');
  });
});

test.each([
  ['{{ v | upper | replace("A", "bb") | truncate(1000) | length }}', '995'],
  ['{{ v[:10] }} {{ v[-1] }} {{ v | length }} {{ v | first }}{{ v | last }}', 'a tide, a    500000 a '],
  ['{{ e[2:4] }}{{ e[-1] }} {{ e | truncate(10) }} {{ e.find("z") }}', '🐝a🐝 a 🐝a... -1'],
  ['{{ v.split(",") | length }}', '62501'],
  ['{{ v | trim | length }} {{ "q" in v }}', '499999 False'],
])('%s renders over half a million characters', (source, text) => {
  const record = { v: 'a tide, '.repeat(62_500), e: 'a 🐝'.repeat(125_000) };
  expect(compileTemplate(source, { mode: 'native' })(record)).toBe(text);
});

test.each([
  [
    '{% for x in items %}{{ loop.index }}. {{ x.name | upper }}: {{ x.price }}{% endfor %}',
    /^1\. ITEM 0: 0.*9999: 9999$/,
  ],
  ['{% for x in items if x.on %}{{ "%.2f" % x.price }} {% endfor %}', /^0\.00 2\.00 .*9998\.00 $/],
  ['{{ items | map(attribute="price") | sum }}', /^49995000$/],
  ['{{ (items | sort(attribute="name") | last).name }}', /^item 9999$/],
])('%s renders over ten thousand items', (source, text) => {
  const items = Array.from({ length: 10_000 }, (_, at) => ({ name: `item ${at}`, price: at, on: at % 2 === 0 }));
  expect(compileTemplate(source, { mode: 'native' })({ items })).toMatch(text);
});

test.each([
  'x | reverse',
  'x | list | reverse | list',
  "[t, t ~ 'a'] | unique | list",
  '{t: 1} | dictsort',
  '{t: 1} == {u: 1}',
  't.title()',
  'x | join',
  "x | map('string') | list",
  't | urlize',
  't | wordwrap(5)',
  'x | pprint',
  't[::-1]',
])('evaluating %s a hundred thousand times exceeds a limit', (expression) => {
  const source = `{% for i in range(100000) %}{% if (${expression}) is none %}{% endif %}{% endfor %}`;
  const record = { t: 'a B-c'.repeat(20_000), u: 'a B-c'.repeat(20_000), x: Array.from({ length: 10_000 }, () => 1) };
  expect(() => compileTemplate(source, { mode: 'native' })(record)).toThrow(
    expect.objectContaining({ code: 'template/limit' }),
  );
});

test.each([
  "{{ 'a' * 1000000000 }}",
  '{{ [0] * 10000000000 }}',
  '{{ (9 ** 9) ** (9 ** 9) }}',
  '{{ range(100001) }}',
  '{{ 1.5 | round(401) }}',
  '{{ deep }}',
  `{{ ${'['.repeat(101)}${']'.repeat(101)} }}`,
  "{{ 'a'.center(100000000) }}",
  "{{ '%.100000000f' % 1.5 }}",
  "{{ '{:100000000}'.format(1) }}",
  "{{ ('x' * 1000000).replace('', 'yyyyyyyyyy') }}",
  '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}',
  '{% for a in range(100000) %}{{ range(100000) | list | sort | length }}{% endfor %}',
  '{% set n = namespace(x=[1]) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x }}',
  '{% set n = namespace(x=(1,)) %}{% for i in range(60) %}{% set n.x = (n.x, n.x) %}{% endfor %}{{ {n.x: 1} }}',
  "{% set n = namespace(x='a') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
  '{% set n = namespace(x=3) %}{% for i in range(60) %}{% set n.x = n.x * n.x %}{% endfor %}',
])('%s exceeds a limit', (source) => {
  expect(outcome(source, 'native')).toBe('template/limit');
});
