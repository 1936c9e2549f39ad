import { isMapping } from '@data-designer/config';
import type { Random } from '@data-designer/core';
import { type Draw, type Mutation, pick } from './mutation.ts';
import { NUMBERS, PARTS, TEMPLATES, TEXTS } from './strange-values.ts';
import { type Members, placeIn, replaceAt, type TreePlace } from './tree.ts';

type Change = (name: string | number, part: unknown, draw: Draw<unknown>) => Members;

/** A mutation of one place of a tree; a tree without such a place stays as it is. */
function atPlace(name: string, change: Change, fits?: (place: TreePlace) => boolean): Mutation<unknown> {
  const apply = (tree: unknown, draw: Draw<unknown>): unknown => {
    const place = placeIn(tree, draw.random, fits);
    return place ? replaceAt(tree, place.path, (step, part) => change(step, part, draw)) : tree;
  };
  return { name, apply };
}

const isNumber = ({ part }: TreePlace): boolean => typeof part === 'number';
const isText = ({ part }: TreePlace): boolean => typeof part === 'string';
const isList = ({ part }: TreePlace): boolean => Array.isArray(part) && part.length > 0;
const isKeyed = ({ path }: TreePlace): boolean => typeof path.at(-1) === 'string';

/** Fields that hold templates and conditions. */
const TEMPLATE_KEYS = new Set(['prompt', 'system_prompt', 'expr', 'when', 'skip', 'template', 'instructions']);

const isTemplate = ({ path, part }: TreePlace): boolean =>
  typeof part === 'string' && TEMPLATE_KEYS.has(String(path.at(-1)));

const isName = ({ part }: TreePlace): boolean => typeof part === 'string' && /^[\w-]{1,40}$/.test(part);

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

/** Spoils what a document says, place by place. */
export const valueMutations: readonly Mutation<unknown>[] = [
  atPlace('strange value', (name, _, { random }) => [[name, strange(random)]]),
  atPlace('strange number', (name, part, { random }) => [[name, strangeNumber(part as number, random)]], isNumber),
  atPlace('strange text', (name, _, { random }) => [[name, pick(TEXTS, random)]], isText),
  atPlace('strange template', (name, _, { random }) => [[name, pick(TEMPLATES, random)]], isText),
  atPlace(
    'strange prompt',
    (name, part, { random }) => [[name, pick(['', String(part)], random) + pick(TEMPLATES, random)]],
    isTemplate,
  ),
  { name: 'name of another', apply: nameOfAnother },
  atPlace(
    'more text',
    (name, part, { random }) => [[name, String(part) + pick(pick([TEXTS, TEMPLATES], random), random)]],
    isText,
  ),
  atPlace('null', (name) => [[name, null]]),
  atPlace('another type', (name, part) => [[name, isMapping(part) ? Object.values(part) : [part]]]),
  atPlace('number as text', (name, part) => [[name, String(part)]], isNumber),
  atPlace('text as list', (name, part) => [[name, String(part).split('')]], isText),
  atPlace('wrap', (name, part, { random }) => [[name, { [pick(NAMES, random)]: part }]]),
  atPlace('delete', () => []),
  atPlace('rename', (name, part, { random }) => [[pick(NAMES, random) || name, part]], isKeyed),
  atPlace('other case', (name, part, { random }) => [[otherCase(String(name), random), part]], isKeyed),
  atPlace(
    'in both cases',
    (name, part, { random }) => [
      [name, part],
      [otherCase(String(name), random), part],
    ],
    isKeyed,
  ),
  atPlace(
    'unknown key',
    (name, part, { random }) => [
      [name, part],
      [pick(NAMES, random), strange(random)],
    ],
    isKeyed,
  ),
  atPlace('twice', (name, part) => [
    [name, part],
    [name, part],
  ]),
  atPlace('empty', (name, part) => [[name, Array.isArray(part) ? [] : isMapping(part) ? {} : '']]),
  atPlace('reverse', (name, part) => [[name, (part as unknown[]).toReversed()]], isList),
  atPlace(
    'many',
    (name, part, { random }) => {
      const list = part as unknown[];
      return [[name, [...list, ...copies(pick(list, random), random.below(pick([10, 200, 1000], random)))]]];
    },
    isList,
  ),
  atPlace('part of another', (name, _, { random, other }) => {
    const place = placeIn(other, random);
    return [[name, place ? place.part : other]];
  }),
  { name: 'same part of another', apply: fromAnother },
  { name: 'join', apply: (tree, { other }) => (isMapping(tree) && isMapping(other) ? { ...tree, ...other } : tree) },
];

/** What another tree has under a name that this one has, too. */
function fromAnother(tree: unknown, { random, other }: Draw<unknown>): unknown {
  const from = placeIn(other, random, isKeyed);
  const to = placeIn(tree, random, ({ path }) => path.at(-1) === from?.path.at(-1));
  return from && to ? replaceAt(tree, to.path, (name) => [[name, from.part]]) : tree;
}

/** Columns, aliases and types that are called what something else is called, or that are read in a template. */
function nameOfAnother(tree: unknown, { random }: Draw<unknown>): unknown {
  const from = placeIn(tree, random, isName);
  const to = placeIn(tree, random, (place) => isName(place) || isTemplate(place));
  if (!from || !to) return tree;
  const name = String(from.part);
  const text = isTemplate(to) ? `${String(to.part)} {{ ${name} }}` : name;
  return replaceAt(tree, to.path, (step) => [[step, text]]);
}

function strangeNumber(value: number, random: Random): unknown {
  return pick([-value, value + 1, value * 1e9, value / 3, value * 1e300, ...NUMBERS], random);
}
