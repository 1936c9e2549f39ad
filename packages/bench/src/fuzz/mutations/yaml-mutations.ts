import type { Random } from '@data-designer/core';
import { type Mutation, pick } from './mutation.ts';

/** A text with a line put in somewhere, as far in as the line before it. */
function insertLine(text: string, line: string, random: Random): string {
  const lines = text.split('\n');
  const at = random.below(lines.length + 1);
  const indent = /^[\s-]*/.exec(lines[at - 1] ?? '')?.[0].replaceAll('-', ' ') ?? '';
  return lines.toSpliced(at, 0, indent + line).join('\n');
}

/** A text in which another value stands after one of its colons or dashes. */
function replaceValue(text: string, value: string, random: Random): string {
  const places = [...text.matchAll(/(?<=[:-] )[^\n]*/g)];
  const place = places[random.below(places.length)];
  if (!place) return `${text}\n${value}`;
  return text.slice(0, place.index) + value + text.slice(place.index + place[0].length);
}

/** A few, many, or as many as a small file holds. */
const some = (random: Random): number => random.below(pick([10, 300, 5000], random));

const NUMBERS: readonly string[] = [
  '9'.repeat(400),
  `-${'9'.repeat(5000)}`,
  `0x${'f'.repeat(3000)}`,
  `0b${'1'.repeat(3000)}`,
  '1e999',
  '1.0e+999',
  '-1.0e-999',
  '.inf',
  '-.INF',
  '.nan',
  '-0',
  '-0.0',
  '0x',
  '08',
  '1_0_0_',
  '1:59:59:59:59:59:59:59',
  '190:20:30.15',
  '9007199254740993',
  '18446744073709551616',
  '2024-02-30',
  '2024-1-1 1:1:1.123456789123 +99',
  '=',
];

const TAGS: readonly string[] = [
  '!!python/object/apply:os.system [x]',
  '!!binary gIGC',
  '!!set {a, b}',
  '!!omap [a: 1]',
  '!!timestamp x',
  '!!int x',
  '!!float {}',
  '!!map []',
  '!!null x',
  '!<tag:yaml.org,2002:str> 1',
  '!local {}',
  '!!js/function "x"',
];

const LINES: readonly string[] = [
  '__proto__: {polluted: true}',
  'constructor: {prototype: {polluted: true}}',
  'toString: 1',
  'hasOwnProperty: null',
  'valueOf: []',
  '? [a, b]\n: c',
  '? {a: b}\n: c',
  '2024-01-01: date',
  '1: one',
  '1.0: one',
  'true: yes',
  '~: nothing',
  '---',
  '...',
  '--- !!map',
  '%YAML 9.9',
  '%TAG ! !',
  '<<: {a: 1}',
  '<<: [{a: 1}, {b: 2}]',
  '<<: 1',
  '&name: 1',
  '*name',
  ': : :',
  '- - - -',
];

/** Each level names the one before it nine times: nine to the power of `levels` values. */
function bomb(levels: number): string {
  const lines = Array.from({ length: levels }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n}, `.repeat(8)}*l${n}]`);
  return ['l0: &l0 [x]', ...lines].join('\n');
}

/** Names for the same: every alias holds all before it, by way of merge keys. */
function merges(levels: number): string {
  const lines = Array.from({ length: levels }, (_, n) => `m${n + 1}: &m${n + 1} {<<: [*m${n}, *m${n}], k${n}: *m${n}}`);
  return ['m0: &m0 {a: 1}', ...lines].join('\n');
}

/** Spoils a text by what YAML can say. */
export const yamlMutations: readonly Mutation<string>[] = [
  {
    name: 'deep flow',
    apply: (text, { random }) => {
      const [open, close] = pick(
        [
          ['[', ']'],
          ['{a: ', '}'],
          ['[{a: ', '}]'],
          ['{? ', '}'],
        ] as const,
        random,
      );
      const depth = some(random);
      return replaceValue(text, `${open.repeat(depth)}${close.repeat(depth)}`, random);
    },
  },
  {
    name: 'deep blocks',
    apply: (text, { random }) => {
      const lines = Array.from({ length: random.below(500) }, (_, n) => `${' '.repeat(n)}a:`);
      return `${text}\n${lines.join('\n')}`;
    },
  },
  { name: 'deep list', apply: (text, { random }) => `${text}\n${'- '.repeat(some(random))}` },
  { name: 'alias bomb', apply: (text, { random }) => `${text}\n${bomb(random.below(30))}` },
  { name: 'merges', apply: (text, { random }) => `${text}\n${merges(random.below(30))}` },
  {
    name: 'circle',
    apply: (text, { random }) =>
      replaceValue(
        text,
        pick(['&a [*a]', '&a {b: *a}', '&a {<<: *a}', '&a {*a : 1}', '&a {? *a : b}'], random),
        random,
      ),
  },
  {
    name: 'anchor and aliases',
    apply: (text, { random }) => {
      const anchored = text.replace(/(?<=: )(?=\S)/, '&anchor ');
      return replaceValue(replaceValue(anchored, '*anchor', random), '*anchor', random);
    },
  },
  { name: 'alias of nothing', apply: (text, { random }) => replaceValue(text, '*nothing', random) },
  { name: 'many anchors', apply: (text, { random }) => replaceValue(text, '&a '.repeat(some(random)), random) },
  { name: 'many tags', apply: (text, { random }) => replaceValue(text, '!!str '.repeat(some(random)), random) },
  { name: 'number', apply: (text, { random }) => replaceValue(text, pick(NUMBERS, random), random) },
  { name: 'tag', apply: (text, { random }) => replaceValue(text, pick(TAGS, random), random) },
  { name: 'line', apply: (text, { random }) => insertLine(text, pick(LINES, random), random) },
  { name: 'long key', apply: (text, { random }) => insertLine(text, `${'k'.repeat(some(random))}: 1`, random) },
  { name: 'many keys', apply: (text, { random }) => insertLine(text, manyKeys(random), random) },
  {
    name: 'line twice',
    apply: (text, { random }) => {
      const lines = text.split('\n');
      const line = pick(lines, random);
      return lines
        .toSpliced(random.below(lines.length), 0, ...Array<string>(1 + random.below(20)).fill(line))
        .join('\n');
    },
  },
  {
    name: 'swap lines',
    apply: (text, { random }) => {
      const lines = text.split('\n');
      const [moved = ''] = lines.splice(random.below(lines.length), 1);
      return lines.toSpliced(random.below(lines.length + 1), 0, moved).join('\n');
    },
  },
  {
    name: 'indent',
    apply: (text, { random }) => {
      const lines = text.split('\n');
      const at = random.below(lines.length);
      return lines.with(at, ' '.repeat(random.below(8)) + (lines[at] ?? '').trimStart()).join('\n');
    },
  },
  {
    name: 'block scalar',
    apply: (text, { random }) =>
      replaceValue(text, pick(['|', '>', '|-', '>+', '|2', '>9-', '|0', '|-+'], random), random),
  },
];

function manyKeys(random: Random): string {
  return `{${Array.from({ length: some(random) }, (_, n) => `k${n}: ${n}`).join(', ')}}`;
}
