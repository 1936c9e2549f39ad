import { isMapping } from '@data-designer/config';
import type { Random } from '@data-designer/core';
import { type Draw, type Mutation, pick } from './mutation.ts';
import { NUMBERS, PARTS, TEMPLATES, TEXTS } from './strange-values.ts';
import { type Members, nodeIn, replaceAt, type TreeNode } from './tree.ts';

type Change = (name: string | number, part: unknown, draw: Draw<unknown>) => Members;

/** A mutation of one node of a tree; a tree without such a node stays as it is. */
function atNode(name: string, change: Change, fits?: (node: TreeNode) => boolean): Mutation<unknown> {
  const apply = (tree: unknown, draw: Draw<unknown>): unknown => {
    const node = nodeIn(tree, draw.random, fits);
    return node ? replaceAt(tree, node.path, (step, part) => change(step, part, draw)) : tree;
  };
  return { name, apply };
}

const isNumber = ({ part }: TreeNode): boolean => typeof part === 'number';
const isText = ({ part }: TreeNode): boolean => typeof part === 'string';
const isList = ({ part }: TreeNode): boolean => Array.isArray(part) && part.length > 0;
const isKeyed = ({ path }: TreeNode): boolean => typeof path.at(-1) === 'string';

/** Fields that hold templates and conditions. */
const TEMPLATE_KEYS = new Set(['prompt', 'system_prompt', 'expr', 'when', 'skip', 'template', 'instructions']);

const isTemplate = ({ path, part }: TreeNode): boolean =>
  typeof part === 'string' && TEMPLATE_KEYS.has(String(path.at(-1)));

const isName = ({ part }: TreeNode): boolean => typeof part === 'string' && /^[\w-]{1,40}$/.test(part);

const strange = (random: Random): unknown => pick(pick([NUMBERS, TEXTS, TEMPLATES, PARTS], random), random);

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  '0',
  '-1',
  'null',
  'length',
];

/** A key as another hand would write it. */
function otherCase(key: string, random: Random): string {
  const ways: readonly ((text: string) => string)[] = [
    (text) => text.toUpperCase(),
    (text) => text.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    (text) => text.replaceAll('_', '-'),
    (text) => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    (text) => `${text} `,
    (text) => text.slice(1),
  ];
  return pick(ways, random)(key);
}

/** Copies of a list's item, told apart by their names. */
function copies(item: unknown, count: number): unknown[] {
  return Array.from({ length: count }, (_, n) =>
    isMapping(item) && typeof item.name === 'string' ? { ...item, name: `${item.name}_${n}` } : item,
  );
}

/** Spoils what a document says, node by node. */
export const valueMutations: readonly Mutation<unknown>[] = [
  atNode('strange value', (name, _, { random }) => [[name, strange(random)]]),
  atNode('strange number', (name, part, { random }) => [[name, strangeNumber(part as number, random)]], isNumber),
  atNode('strange text', (name, _, { random }) => [[name, pick(TEXTS, random)]], isText),
  atNode('strange template', (name, _, { random }) => [[name, pick(TEMPLATES, random)]], isText),
  atNode(
    'strange prompt',
    (name, part, { random }) => [[name, pick(['', String(part)], random) + pick(TEMPLATES, random)]],
    isTemplate,
  ),
  { name: 'name of another', apply: nameOfAnother },
  atNode(
    'more text',
    (name, part, { random }) => [[name, String(part) + pick(pick([TEXTS, TEMPLATES], random), random)]],
    isText,
  ),
  atNode('null', (name) => [[name, null]]),
  atNode('another type', (name, part) => [[name, isMapping(part) ? Object.values(part) : [part]]]),
  atNode('number as text', (name, part) => [[name, String(part)]], isNumber),
  atNode('text as list', (name, part) => [[name, String(part).split('')]], isText),
  atNode('wrap', (name, part, { random }) => [[name, { [pick(NAMES, random)]: part }]]),
  atNode('delete', () => []),
  atNode('rename', (name, part, { random }) => [[pick(NAMES, random) || name, part]], isKeyed),
  atNode('other case', (name, part, { random }) => [[otherCase(String(name), random), part]], isKeyed),
  atNode(
    'in both cases',
    (name, part, { random }) => [
      [name, part],
      [otherCase(String(name), random), part],
    ],
    isKeyed,
  ),
  atNode(
    'unknown key',
    (name, part, { random }) => [
      [name, part],
      [pick(NAMES, random), strange(random)],
    ],
    isKeyed,
  ),
  atNode('twice', (name, part) => [
    [name, part],
    [name, part],
  ]),
  atNode('empty', (name, part) => [[name, Array.isArray(part) ? [] : isMapping(part) ? {} : '']]),
  atNode('reverse', (name, part) => [[name, (part as unknown[]).toReversed()]], isList),
  atNode(
    'many',
    (name, part, { random }) => {
      const list = part as unknown[];
      return [[name, [...list, ...copies(pick(list, random), random.below(pick([10, 200, 1000], random)))]]];
    },
    isList,
  ),
  atNode('part of another', (name, _, { random, other }) => {
    const node = nodeIn(other, random);
    return [[name, node ? node.part : other]];
  }),
  { name: 'same part of another', apply: fromAnother },
  { name: 'join', apply: (tree, { other }) => (isMapping(tree) && isMapping(other) ? { ...tree, ...other } : tree) },
];

/** What another tree has under a name that this one has, too. */
function fromAnother(tree: unknown, { random, other }: Draw<unknown>): unknown {
  const from = nodeIn(other, random, isKeyed);
  const to = nodeIn(tree, random, ({ path }) => path.at(-1) === from?.path.at(-1));
  return from && to ? replaceAt(tree, to.path, (name) => [[name, from.part]]) : tree;
}

/** Columns, aliases and types that are called what something else is called, or that are read in a template. */
function nameOfAnother(tree: unknown, { random }: Draw<unknown>): unknown {
  const from = nodeIn(tree, random, isName);
  const to = nodeIn(tree, random, (node) => isName(node) || isTemplate(node));
  if (!from || !to) return tree;
  const name = String(from.part);
  const text = isTemplate(to) ? `${String(to.part)} {{ ${name} }}` : name;
  return replaceAt(tree, to.path, (step) => [[step, text]]);
}

function strangeNumber(value: number, random: Random): unknown {
  return pick([-value, value + 1, value * 1e9, value / 3, value * 1e300, ...NUMBERS], random);
}
