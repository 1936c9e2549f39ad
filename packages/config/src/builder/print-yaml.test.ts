import { expect, test } from 'vitest';
import { Float, Random } from '@data-designer/core';
import { parseYaml } from '../yaml.ts';
import { printYaml } from './print-yaml.ts';

const again = (value: unknown): unknown => parseYaml(printYaml(value));

const TEXTS = [
  '',
  ' ',
  '~',
  'null',
  'Null',
  'yes',
  'No',
  'on',
  'OFF',
  'y',
  'n',
  'true',
  'False',
  '1',
  '-1',
  '+1',
  '1.0',
  '.5',
  '1.',
  '1e3',
  '1e-05',
  '1.0e+3',
  '010',
  '0o10',
  '0b11',
  '0x1F',
  '1_000',
  '12:30',
  '1:30:00',
  '190:20:30.15',
  '.inf',
  '-.inf',
  '.nan',
  '2024-01-01',
  '2024-01-01 10:00:00',
  '=',
  '<<',
  '-',
  '- a',
  '?',
  '? a',
  ':',
  'a: b',
  'a:',
  ':a',
  '#',
  '# a',
  'a #b',
  'a#b',
  '&a',
  '*a',
  '!a',
  '!!str a',
  '|',
  '>',
  '%a',
  '@a',
  '`a',
  '[a',
  ']',
  '{a',
  '}',
  'a, b',
  '"a',
  "'a",
  "it's",
  'say "x"',
  '\'both\' "kinds"',
  '---',
  '...',
  '--- a',
  ' leading',
  'trailing ',
  '\ttab',
  'a\tb',
  'back\\slash',
  '{{ topic }}',
  '{% if a %}x{% endif %}',
  'a\nb',
  'a\nb\n',
  'a\n\nb\n\n',
  '\n',
  '\n\n',
  ' \n',
  ' \n\n',
  '\na',
  '  a\nb',
  'a\n  b',
  'a \nb',
  'a\n ',
  'a\n\t',
  '# a\n- b: c',
  '---\na',
  'a\n---\nb',
  'a\n...\n',
  '%a\nb',
  'a\r\nb',
  'a\rb',
  'a\u0085b',
  'a\u2028b',
  'a\u2029b\nc',
  'ü ß 漢字 😀',
  '\u0000',
  '\u0007\u001b',
  '\ufeffa',
  '\ud800',
  '\u00a0',
  'x'.repeat(300),
  'word '.repeat(60),
  `${'long line '.repeat(30)}\n${'next '.repeat(40)}`,
];

test.each(TEXTS)('the text %j reads back unchanged as a value, in a list and as a key', (text) => {
  const value = { value: text, list: [text, [text]], nested: { deep: [{ inner: text }] }, [text]: text };
  expect(again(value)).toEqual(value);
});

test.each([
  ['null', null],
  ['true', true],
  ['false', false],
  ['0', 0],
  ['-7', -7],
  ['9007199254740993', 9007199254740993n],
  ['1.0', new Float(1)],
  ['-3.0', new Float(-3)],
  ['1.0e+20', new Float(1e20)],
  ['0.5', 0.5],
  ['1.0e-05', 1e-5],
  ['1.5e-07', 1.5e-7],
  ['.inf', Infinity],
  ['-.inf', -Infinity],
  ['.nan', NaN],
])('a value prints in the form that YAML 1.1 reads: %s', (text, value) => {
  expect(printYaml({ value })).toBe(`value: ${text}\n`);
  expect(again({ value })).toEqual({ value });
});

test('keys are sorted, lists are not indented, long text stays on one line, and several lines print as a block', () => {
  const shared = { z: 1, a: [] };
  const value = { b: [shared, shared], a: { y: {}, x: 'one\ntwo\n' }, c: 'word '.repeat(30).trim() };
  expect(printYaml(value)).toBe(`a:
  x: |
    one
    two
  y: {}
b:
- a: []
  z: 1
- a: []
  z: 1
c: ${value.c}
`);
});

test('3,000 random texts read back unchanged', { tags: 'long' }, () => {
  const characters =
    ' |\n|\n|\t|\r|:|-|#|?|,|[|]|{|}|&|*|!|>|\'|"|%|@|`|~|\\|=|<|.|0|1|e|y|E|n|_|/|a|\u0085|\u2028|é|😀'.split('|');
  const random = Random.of(11, 'yaml');
  const texts = Array.from({ length: 3000 }, (_, index) => {
    const draw = random.at(index);
    return Array.from({ length: draw.below(12) }, () => characters[draw.below(characters.length)]).join('');
  });
  expect(
    texts.filter((text) => JSON.stringify(again({ [text]: [text] })) !== JSON.stringify({ [text]: [text] })),
  ).toEqual([]);
});
