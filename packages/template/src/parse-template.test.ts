import { expect, test } from 'vitest';
import { isFailure } from '@data-designer/core';
import { parseTemplate } from './index.ts';

test.each([
  ['{{ a.b.c }} {{ a["d"] }} {{ a[key] }}', ['a', 'key']],
  ['{% for x in xs %}{{ x }}{{ loop.index }}{% else %}{{ x }}{% endfor %}', ['x', 'xs']],
  ['{% for k, (v, w) in rows if w > floor %}{{ k }}{{ v }}{% endfor %}', ['floor', 'rows']],
  ['{% set y = y %}{{ y }}', ['y']],
  ['{% set y = 1 %}{{ y }}', []],
  ['{% if a %}{% set z = 1 %}{% endif %}{{ z }}', ['a', 'z']],
  ['{% with a = b, b = a %}{{ a }}{{ b }}{% endwith %}', ['a', 'b']],
  ['{% macro m(p, q=r) %}{{ p }}{{ caller() }}{% endmacro %}{{ m(x) }}', ['r', 'x']],
  ['{% set x = 1 %}{% block b %}{{ x }}{% endblock %}', ['x']],
  ['{% if false %}{{ never }}{% endif %}{{ m is defined }}{{ n | default(o) }}', ['m', 'n', 'never', 'o']],
  ['{% raw %}{{ hidden }}{% endraw %}{# {{ comment }} #}{{ "{{ text }}" }}', []],
  ['{{ self }} {{ none }} {{ True }} {{ loop }}', ['loop']],
])('the references of %s are %j', (source, references) => {
  expect(parseTemplate(source).references).toEqual(references);
});

test('global functions are listed apart from references', () => {
  expect(parseTemplate('{{ range(n) }}{{ dict() }}')).toMatchObject({ references: ['n'], globals: ['dict', 'range'] });
});

test.each([
  ['ab\n{{ my col }}', 2, 7],
  ['{{ a', 1, 5],
  ['{% if a %}', 1, 11],
  ['{{ a ? b : c }}', 1, 6],
  ['{% unknown %}', 1, 4],
  ['{{ 1. }}', 1, 7],
  ['{{ a is nosuch }}', 1, 9],
  ["{{ '\\x1' }}", 1, 4],
  ['{{ a === b }}', 1, 8],
  ['{{ r/x/g }}{{ a }', 1, 17],
  ['{# open', 1, 1],
  ['{% raw %}{{ a }}', 1, 10],
])('a syntax error in %j is at line %i, column %i', (source, line, column) => {
  expect(() => parseTemplate(source)).toThrow(
    expect.objectContaining({ code: 'template/syntax', data: expect.objectContaining({ line, column }) as unknown }),
  );
});

test('a syntax error quotes the text at its position', () => {
  expect(() => parseTemplate('{{ a }}\n{{ my col }} and more')).toThrow(
    "line 2, column 7: unexpected 'col', expected '}}', at 'col }} and more'",
  );
  expect(() => parseTemplate('{{ a')).toThrow(/expected '}}'\.$/);
});

test('a filter that Jinja2 does not have is refused', () => {
  expect(() => parseTemplate('{{ a | nosuch }}')).toThrow(
    expect.objectContaining({ code: 'template/unsupported-filter' }),
  );
});

test.each([
  ['brackets', `{{ ${'('.repeat(100_000)}1${')'.repeat(100_000)} }}`],
  ['operators', `{{ 1${' + 1'.repeat(100_000)} }}`],
  ['negations', `{{ ${'not '.repeat(100_000)}1 }}`],
  ['filters', `{{ 1${'|abs'.repeat(100_000)} }}`],
  ['blocks', `${'{% if 1 %}'.repeat(50_000)}x${'{% endif %}'.repeat(50_000)}`],
])('a hundred thousand nested %s exceed a limit', { tags: 'long' }, (_what, source) => {
  let thrown: unknown;
  try {
    parseTemplate(source);
  } catch (failure) {
    thrown = failure;
  }
  expect(isFailure(thrown, 'template/limit')).toBe(true);
});

test('a limit of the syntax has the position at which it is exceeded', () => {
  const brackets = `{{ ${'('.repeat(120)}1${')'.repeat(120)} }}`;
  expect(() => parseTemplate(brackets)).toThrow('exceeded its limit of 100 nested levels at line 1, column 104.');
  expect(() => parseTemplate(`{{ 1${' + 1'.repeat(600)} }}`)).toThrow(
    /limit of 500 operators, filters or lookups in a row at line 1, column \d+\./,
  );
});
