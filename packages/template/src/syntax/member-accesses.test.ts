import { expect, test } from 'vitest';
import { type MemberAccess, memberAccesses, parseTemplate } from '../index.ts';

const FLAGS = [
  ['isAlways', 'always'],
  ['isOptional', 'optional'],
  ['isNeeded', 'needed'],
] as const;

function print({ column, steps, ...flags }: MemberAccess): string {
  const path = [column, ...steps.map(({ key }) => String(key))].join('/');
  return [path, ...FLAGS.flatMap(([flag, word]) => (flags[flag] ? word : []))].join(' ');
}

test.each([
  ['{{ a.b[0]["c"][-1] }}', ['a/b/0/c/-1 always needed']],
  ['One: {{ a.b | upper }}', ['a/b always']],
  [' {{ a.b | upper }}\n', ['a/b always needed']],
  [
    'One: {{ a.b.c() }} {{ a.d + 1 }} {{ a.e[k] }} {{ a.f[1:] }}',
    ['a/b/c', 'a/d', 'a/e', 'a/f'].map((one) => `${one} always needed`),
  ],
  [
    'One: {{ a.b is defined }} {{ not a.c }} {{ a.d | default(1) }}',
    ['a/b', 'a/c', 'a/d'].map((one) => `${one} always optional`),
  ],
  ['One: {{ a.b or b.c }}', ['a/b always optional', 'b/c']],
  ['{% if x %}{{ a.b }}{% endif %}', ['a/b']],
  ['{% for x in a.b %}{{ x.c }}{{ b.c }}{% endfor %}', ['a/b always', 'b/c']],
  ['{{ a.b == 1 }}', ['a/b always']],
])('the accesses of %s are %j', (source, accesses) => {
  expect(memberAccesses(parseTemplate(source).tree).map(print)).toEqual(accesses);
});

test.each([
  '{% if a is mapping %}{{ a.b }}{% endif %}',
  '{% if "b" in a %}{{ a.b }}{% else %}{{ a.c }}{% endif %}',
  '{% set a = 1 %}{{ a.b }}',
  '{% for a in xs %}{{ a.b }}{{ loop.index }}{% endfor %}',
  '{% macro m(a) %}{{ a.b }}{{ caller.c }}{% endmacro %}',
])('%s has no access to report', (source) => {
  expect(memberAccesses(parseTemplate(source).tree)).toEqual([]);
});

test('a condition on a member guards the other members of its column on its branches', () => {
  const accesses = memberAccesses(parseTemplate('One: {{ a.b.c if a.b }}{{ b.c if a.d }}').tree);
  expect(accesses.map(print)).toEqual(['a/b always optional', 'a/d always optional', 'b/c']);
});
