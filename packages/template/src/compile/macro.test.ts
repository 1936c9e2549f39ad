import { describe, expect, test } from 'vitest';
import { compileTemplate } from '../index.ts';

const render = (source: string): string => compileTemplate(source, { mode: 'native' })({ v: 'tide', l: [1, 2, 3] });
const failing = (code: string): unknown => expect.objectContaining({ code });

describe('macros', () => {
  test.each([
    [
      "{% macro m(a, b='x') %}{{ a }}-{{ b }}{% endmacro %}{{ m(1) }} {{ m(1, 2) }} {{ m(b=3, a=4) }} {{ m() }}",
      '1-x 1-2 4-3 -x',
    ],
    ['{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, x=3) }}', "(1, 2){'x': 3}"],
    ['{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}', '11'],
    ['{% macro m(n) %}{{ n }}{% if n > 0 %},{{ m(n - 1) }}{{ n }}{% endif %}{% endmacro %}{{ m(3) }}', '3,2,1,0123'],
    ['{% set q = 1 %}{% macro m() %}{{ q }}{{ v }}{% endmacro %}{% set q = 2 %}{{ m() }}', '2tide'],
    ['{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}in {{ v }}{% endcall %}', '<in tide>'],
    [
      '{% macro m(xs) %}{% for x in xs %}{{ caller(x, 2) }};{% endfor %}{% endmacro %}' +
        '{% call(y, z=9, w=8) m(l) %}{{ y }}{{ z }}{{ w }}{% endcall %}',
      '128;228;328;',
    ],
    ['{% macro m(a, b) %}{% endmacro %}{{ m.name }} {{ m.arguments }}', "m ('a', 'b')"],
    ['{% autoescape true %}{% macro m(t) %}<b>{{ t }}</b>{% endmacro %}{{ m("<") }}{% endautoescape %}', '<b>&lt;</b>'],
  ])('%s gives %s', (source, text) => {
    expect(render(source)).toBe(text);
  });

  test('arguments that do not match the parameters end the render', () => {
    for (const call of ['m(1, 2)', 'm(1, z=2)', 'm(1, a=2)']) {
      expect(() => render(`{% macro m(a) %}{{ a }}{% endmacro %}{{ ${call} }}`)).toThrow(failing('template/record'));
    }
    expect(() => render('{% macro m() %}x{% endmacro %}{% call m() %}in{% endcall %}')).toThrow(
      failing('template/record'),
    );
  });

  test('endless recursion exceeds a limit', () => {
    expect(() => render('{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}')).toThrow(failing('template/limit'));
    const twice = '{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}';
    expect(() => render(twice)).toThrow(failing('template/limit'));
  });
});

describe('recursive loops', () => {
  const tree = "{% set tree = [{'n': 'a', 'c': [{'n': 'b', 'c': []}]}, {'n': 'd', 'c': []}] %}";

  test.each([
    [
      '{% for x in tree recursive %}{{ x.n }}({{ loop(x.c) }}){{ loop.depth }}{{ loop.index }}{% endfor %}',
      'a(b()21)11d()12',
    ],
    ["{% for x in tree if x.n != 'd' recursive %}{{ x.n }}{{ loop(x.c) }}{% endfor %}", 'ab'],
    ['{% for x in tree recursive %}{{ x.n }}{{ loop(x.c) }}{% else %}-{% endfor %}', 'ab-d-'],
    ['{% for x in tree %}{% for y in tree %}{{ loop.depth }}{% endfor %}{% endfor %}', '1111'],
  ])('%s gives %s', (source, text) => {
    expect(render(tree + source)).toBe(text);
  });

  test('only a loop marked recursive can be called', () => {
    expect(() => render('{% for x in l %}{{ loop(l) }}{% endfor %}')).toThrow(failing('template/record'));
    expect(() => render('{% for x in l recursive %}{{ loop(l) }}{% endfor %}')).toThrow(failing('template/limit'));
  });
});

describe('blocks', () => {
  test.each([
    ['{% block b %}x{{ v }}{% endblock %}|{{ self.b() }}', 'xtide|xtide'],
    ['{% set v = 1 %}{% block b %}{{ v }}{% endblock %}', '1'],
    ['{% for v in l %}{% block b %}{{ v }}{% endblock %}{% endfor %}', 'tidetidetide'],
    ['{% for v in l %}{% block b scoped %}{{ v }}{% endblock %}{% endfor %}', '123'],
  ])('%s gives %s', (source, text) => {
    expect(render(source)).toBe(text);
  });

  test('statements that load other templates are refused at compile time', () => {
    for (const source of [
      "{% include 'a' %}",
      "{% import 'a' as b %}",
      "{% extends 'a' %}",
      '{% block b required %}{% endblock %}',
      '{{ lipsum() }}',
    ]) {
      expect(() => compileTemplate(source, { mode: 'native' })).toThrow(failing('template/refused'));
    }
  });
});

test('cyclers and joiners keep their state', () => {
  const source =
    "{% set c = cycler('a', 'b') %}{% set j = joiner('; ') %}{% for x in l %}{{ j() }}{{ c.next() }}{% endfor %}";
  expect(render(`${source}{{ c.current }}`)).toBe('a; b; ab');
});
