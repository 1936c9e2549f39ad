import type { Random } from '@data-designer/core';
import { pick } from './mutations/mutation.ts';
import { TEST_WORDS } from './template-forms.ts';
import { ODD_NAMES, ODD_WORDS } from './template-strange-forms.ts';

const STRINGS: readonly string[] = [
  "''",
  "' '",
  "'a'",
  "'e'",
  "', '",
  "'o w'",
  "'Hello World'",
  "'it\\'s'",
  '"double \\"quoted\\""',
  "'a\\nb\\tc'",
  "'été Ünï'",
  "'🐝 bee'",
  "'ǆ ß ﬁ'",
  '\'<b class="x">&amp;</b>\'',
  "'\\\\ back'",
  "'\\x41\\u00e9'",
  "'12'",
  "'-3.7'",
  "'1e3'",
  "'0x1F'",
  "' 5 '",
  '\'{"a": [1, 2.0]}\'',
  "'[1, 2]'",
  "'true'",
  "'null'",
  "'100%'",
  "'{}'",
  "'%s'",
  "'http://example.org/a?b=c'",
  "'the quick brown fox jumps over'",
  "'hello-world (again) it\\'s'",
  "'a,b,,c'",
  "'line one\\nline two\\r\\nthree'",
  "'X'",
];

const DATA: readonly string[] = [
  'plain text ',
  ' ',
  '\n',
  '\n  indented\n',
  '\t',
  '{ } % #',
  '"quoted" & <b>',
  'é 🐝',
  'Answer: ',
  '}}',
  '%}',
  '\r\n',
  'x',
];

const INTEGERS = ['0', '1', '2', '3', '5', '7', '10', '-1', '-2', '-7', '42', '255', '1_000', '0x1f', '0b101', '0o17'];
const LARGE = ['9007199254740991', '9007199254740993', '18446744073709551616', '123456789012345678901234567890'];
const FLOATS = [
  '0.0',
  '1.0',
  '1.5',
  '2.5',
  '-0.5',
  '0.1',
  '3.14159',
  '1e3',
  '1e16',
  '1e-7',
  '1.5e300',
  '2.675',
  '1_0.5',
];
const SMALL = ['0', '1', '2', '3', '4', '5', '8', '12'];
const HUGE = [
  '50',
  '1000',
  '3000',
  '10000',
  '40000',
  '99999',
  '100000',
  '100001',
  '511999',
  '1000000',
  '3999999',
  '100000000',
  '2147483648',
  '9999999999',
  '9007199254740993',
  '1e9',
  '-1',
];
const SLICES = ['1:', ':2', '1:3', ':-1', '-2:', '::2', '::-1', '-3:-1', ':', '5:1', '2::-1', ':10:3', '::0'];
const KEYS = ['name', 'age', 'tags', 'a', 'b', 'nested', 'missing', 'grouper', 'k-1', 'items'];
const FILTERS = [
  'upper',
  'lower',
  'trim',
  'int',
  'float',
  'string',
  'length',
  'first',
  'title',
  'escape',
  'abs',
  'list',
];

/** Words by the mark that a form has for them. */
export const WORDS: Readonly<Record<string, (random: Random) => string>> = {
  string: (random) => pick(STRINGS, random),
  data: (random) => pick(DATA, random),
  int: (random) => pick(random.float() < 0.06 ? LARGE : INTEGERS, random),
  float: (random) => pick(FLOATS, random),
  small: (random) => pick(SMALL, random),
  huge: (random) => pick(HUGE, random),
  slice: (random) => pick(SLICES, random),
  key: (random) => pick(KEYS, random),
  field: (random) => pick(KEYS.slice(0, -2), random),
  filter: (random) => pick(FILTERS, random),
  test: (random) => pick(TEST_WORDS, random),
  odd: (random) => pick(ODD_WORDS, random),
  oddname: (random) => pick(ODD_NAMES, random),
};
