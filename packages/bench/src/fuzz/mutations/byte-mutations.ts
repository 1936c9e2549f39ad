import type { Random } from '@data-designer/core';
import { type Mutation, pick } from './mutation.ts';

/** What stands at a random place: two offsets in order, at most `most` apart. */
function range(text: string, random: Random, most = text.length): readonly [number, number] {
  const from = random.below(text.length + 1);
  return [from, Math.min(text.length, from + random.below(most + 1))];
}

function insert(text: string, part: string, random: Random): string {
  const at = random.below(text.length + 1);
  return text.slice(0, at) + part + text.slice(at);
}

/** Bytes that are mostly not UTF-8, as a lenient decoder reads them. */
function noise(random: Random): string {
  const bytes = Uint8Array.from({ length: 1 + random.below(64) }, () => random.below(256));
  return new TextDecoder(pick(['utf-8', 'latin1', 'utf-16le'], random)).decode(bytes);
}

/** One bit of one character, turned over. */
function flip(text: string, random: Random): string {
  const at = random.below(text.length);
  return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << random.below(8))) + text.slice(at + 1);
}

/** What opens something that nothing closes, and what closes what nothing opened. */
const BROKEN = [
  '"',
  "'",
  '[',
  '{',
  ']',
  '}',
  '"\\',
  '|',
  '>',
  '|+9',
  '&',
  '*',
  '!',
  '%',
  '@',
  '`',
  '#',
  '? ',
  ': ',
  '- ',
];

/** Characters that readers of text trip over. */
const STRANGE = [
  '\uFEFF',
  '\0',
  '\uD800',
  '\uDC00',
  '\u2028',
  '\u0085',
  '\u200B',
  '\x7F',
  '\x1B[2J',
  '\uFFFE',
  '\r',
  '\v',
  '💾',
];

/** Spoils a text without a thought for what it says. */
export const byteMutations: readonly Mutation<string>[] = [
  { name: 'flip', apply: (text, { random }) => (text === '' ? text : flip(text, random)) },
  {
    name: 'cut',
    apply: (text, { random }) => {
      const [from, to] = range(text, random);
      return text.slice(0, from) + text.slice(to);
    },
  },
  { name: 'end early', apply: (text, { random }) => text.slice(0, random.below(text.length + 1)) },
  {
    name: 'say twice',
    apply: (text, { random }) => {
      const [from, to] = range(text, random);
      return text.slice(0, to) + text.slice(from);
    },
  },
  {
    name: 'splice',
    apply: (text, { random, other }) => {
      const [from, to] = range(other, random);
      return insert(text, other.slice(from, to), random);
    },
  },
  { name: 'noise', apply: (text, { random }) => insert(text, noise(random), random) },
  { name: 'break', apply: (text, { random }) => insert(text, pick(BROKEN, random), random) },
  {
    name: 'break often',
    apply: (text, { random }) => insert(text, pick(BROKEN, random).repeat(1 + random.below(3000)), random),
  },
  { name: 'strange character', apply: (text, { random }) => insert(text, pick(STRANGE, random), random) },
  { name: 'byte order mark', apply: (text) => `\uFEFF${text}` },
  {
    name: 'replace a character',
    apply: (text, { random }) => {
      const found = text.charAt(random.below(text.length));
      return found === '' ? text : text.replaceAll(found, pick(STRANGE, random));
    },
  },
  { name: 'tabs', apply: (text) => text.replaceAll('  ', '\t') },
  {
    name: 'carriage returns',
    apply: (text, { random }) => text.replaceAll('\n', pick(['\r', '\r\n', '\n\r'], random)),
  },
];
