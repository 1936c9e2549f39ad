import { expect, test } from 'vitest';
import { parseCondition } from './compile-condition.ts';
import { findMistakes, positionOfName, type TemplateMistake } from './find-mistakes.ts';
import { parseTemplate } from './parse-template.ts';

const print = ({ failure, at, isAlways }: TemplateMistake) =>
  `${at?.line}:${at?.column} ${isAlways ? 'always ' : ''}${failure.message}`;
const inCondition = (source: string) => findMistakes(parseCondition(source), 'secure').map(print);

test('a filter that the mode lacks is a mistake on every branch, with the supported way', () => {
  expect(inCondition("chat | selectattr('role')")).toEqual([
    "1:8 always The template filter 'selectattr' is not supported. jsonpath reads members of a list: {'all': chat} | jsonpath('$.all[*].role').",
  ]);
  expect(inCondition('a or (b | count) > 2')).toEqual([
    "1:11 always The template filter 'count' is not supported. Write 'length'.",
  ]);
  const template = parseTemplate('{% if a %}\n{{ b | tojson }}{% endif %}');
  expect(findMistakes(template, 'secure')).toMatchObject([{ at: { line: 2, column: 8 }, isAlways: true }]);
  expect(findMistakes(template, 'native')).toEqual([]);
});

test.each([
  ["a | int('1', 2, 3)", 'int() takes at most 2 arguments (3 given)'],
  ['a is divisibleby', "divisibleby() is missing the argument 'num'"],
  ['a | trim(wide=1)', "trim() got an unexpected keyword argument 'wide'"],
  [
    "a | jsonpath('$[?(@.role)]')",
    "the path '$[?(@.role)]': a condition such as [?(@.role)] is not supported; jsonpath",
  ],
])('%s fails for every value', (source, reason) => {
  const [only, ...others] = inCondition(source);
  expect(only).toContain(reason);
  expect(others).toEqual([]);
});

test.each(['a | int(*b) > 2', 'a | replace("x", b) == c', 'a | jsonpath(b)', 'a is divisibleby(3)', 'a | length > 2'])(
  '%s may hold',
  (source) => {
    expect(inCondition(source)).toEqual([]);
  },
);

test('a name is placed where the source has it first', () => {
  const template = parseTemplate('{% for a in b %}{{ a }}{% endfor %}\n and {{ c.d }}, {{ c }}');
  expect(positionOfName(template, 'c')).toEqual({ line: 2, column: 9 });
  expect(positionOfName(template, 'none')).toBeUndefined();
  expect(positionOfName(parseCondition('a > score'), 'score')).toEqual({ line: 1, column: 5 });
});
