import type { Random } from '@data-designer/core';
import { pick } from './mutations/mutation.ts';
import type { Kind } from './template-forms.ts';
import { ODD_WORDS } from './template-strange-forms.ts';

/** The columns of generated records, by what they mostly hold. */
export const COLUMNS: Readonly<Record<Kind, readonly string[]>> = {
  text: ['name', 'note', 'blank'],
  number: ['count', 'ratio', 'big'],
  list: ['words', 'numbers', 'rows'],
  map: ['user', 'odd'],
  flag: ['flag'],
  any: ['nothing', 'doc', 'entry'],
};

const TEXTS: readonly string[] = [
  'Ada Lovelace',
  'tide',
  '',
  '  padded ',
  'line one\nline two\n\nthree\ttab',
  'it\'s <b>bold</b> & "quoted"',
  'ÀÉÎ straße ŉ ǆ İı 🐝🇫🇷',
  'e\u0301 \u2028 \u0000 \u001f \u00a0',
  'the quick brown fox jumps over the lazy dog '.repeat(3),
  '{{ count }} {% raw %}',
  '\ud800 alone',
  'C:\\path\\n',
];

/** Texts that are JSON, or nearly. */
const DOCUMENTS: readonly string[] = [
  '{"zip": "12345", "a": 1}',
  '[1, 2.0, "3", null, true]',
  '5',
  '007',
  '1.0',
  '1e5',
  '12e45678',
  'true',
  'null',
  '"q"',
  ' {"a": "[1]"} ',
  '{"a": NaN, "b": -Infinity}',
  '[1, 2',
  '{"__proto__": {"inherited": 1}, "constructor": {"name": "x"}}',
  '123456789012345678901234567890',
  '[[[[[[[[[["deep"]]]]]]]]]]',
];

const NUMBERS = [
  '0',
  '-1',
  '3',
  '7',
  '42',
  '1.0',
  '2.5',
  '-0.0',
  '1e16',
  '1e-7',
  '0.1',
  '1e999',
  '-0',
  '9007199254740993',
];
const LARGE = [
  '123456789012345678901234567890',
  '-18446744073709551616',
  `1${'0'.repeat(400)}`,
  '1.7976931348623157e308',
];

const MAX_DEPTH = 3;

/** JSON of a value of one kind; numbers are written as Python would write them, so that 1.0 stays a float. */
function jsonOf(kind: Kind, random: Random, depth = 0): string {
  const inner = (): string => jsonOf(depth < MAX_DEPTH ? 'any' : 'text', random, depth + 1);
  switch (kind) {
    case 'text':
      return JSON.stringify(pick(TEXTS, random));
    case 'number':
      return pick(random.float() < 0.1 ? LARGE : NUMBERS, random);
    case 'flag':
      return pick(['true', 'false'], random);
    case 'list':
      return `[${Array.from({ length: random.below(5) }, inner).join(', ')}]`;
    case 'map':
      return `{${Array.from({ length: random.below(5) }, () => `${keyOf(random)}: ${inner()}`).join(', ')}}`;
    case 'any':
      return random.float() < 0.3
        ? pick(['null', JSON.stringify(pick(DOCUMENTS, random))], random)
        : jsonOf(pick(['text', 'number', 'flag', 'list', 'map'], random), random, depth + 1);
  }
}

function keyOf(random: Random): string {
  return JSON.stringify(
    pick(random.float() < 0.2 ? ODD_WORDS : ['name', 'age', 'tags', 'a', 'b', 'é', '', 'k-1'], random),
  );
}

/** A list of one kind of value, which filters over lists can work on. */
function evenList(kind: Kind, random: Random): string {
  return `[${Array.from({ length: random.below(6) }, () => jsonOf(kind, random, MAX_DEPTH)).join(', ')}]`;
}

function rows(random: Random): string {
  const row = (): string =>
    `{"name": ${jsonOf('text', random)}, "age": ${pick(NUMBERS, random)}, "tags": ${evenList('text', random)}}`;
  return `[${Array.from({ length: random.below(4) }, row).join(', ')}]`;
}

function user(random: Random): string {
  const nested = `{"a": ${jsonOf('any', random)}, "b": {"name": ${jsonOf('text', random)}}}`;
  return `{"name": ${jsonOf('text', random)}, "age": ${pick(NUMBERS, random)}, "nested": ${nested}, "tags": ${rows(random)}}`;
}

function odd(random: Random): string {
  const members = Array.from(
    { length: random.below(6) },
    () => `"${pick(ODD_WORDS, random)}": ${jsonOf('any', random, 2)}`,
  );
  return `{${members.join(', ')}}`;
}

const MAKERS: Readonly<Record<string, (random: Random) => string>> = {
  words: (random) => evenList('text', random),
  numbers: (random) => evenList('number', random),
  rows,
  user,
  odd,
  doc: (random) => JSON.stringify(pick(DOCUMENTS, random)),
  nothing: (random) => pick(['null', 'null', '""', '[]'], random),
};

/** A record as one line of JSON; one column in twenty holds what its name does not say. */
export function recordLine(random: Random): string {
  const cells = Object.entries(COLUMNS).flatMap(([kind, names]) =>
    names.map((name) => {
      const isOdd = random.float() < 0.05;
      const value = isOdd ? jsonOf('any', random) : (MAKERS[name]?.(random) ?? jsonOf(kind as Kind, random));
      return `${JSON.stringify(name)}: ${value}`;
    }),
  );
  return `{${cells.join(', ')}}`;
}
