import type { Random } from '@data-designer/core';
import { type Mutation, pick } from './mutations/mutation.ts';
import { makeExpression, type TemplateStyle } from './template-grammar.ts';
import { ODD_NAMES, ODD_WORDS } from './template-strange-forms.ts';
import { WORDS } from './template-words.ts';

/** Names, numbers, strings, marks of statements, signs; blanks stay with what follows them. */
const TOKEN = /\s*(?:\{[%{#][-+]?|[-+]?[%}#]\}|'[^']*'|"[^"]*"|\w+|\*\*|\/\/|[=!<>]=|[^])/g;

const SIGNS = '( ) [ ] { } . , : | ~ + - * / % = < > ! ; \' " \\ # {{ }} {% %}'.split(' ');

const STYLE: TemplateStyle = { depth: 2, mode: 'native', strangeness: 0.1 };

function tokensOf(text: string): readonly string[] {
  return text.match(TOKEN) ?? [];
}

/** A text with one of its tokens, or of those that fit a pattern, replaced. */
function replaceToken(text: string, random: Random, change: { readonly fits: RegExp; readonly to: string }): string {
  const tokens = tokensOf(text);
  const places = tokens.flatMap((token, at) => (change.fits.test(token) ? [at] : []));
  if (places.length === 0) return text;
  return tokens.with(pick(places, random), change.to).join('');
}

/** Some tokens of a text, one after the other. */
function part(text: string, random: Random): readonly string[] {
  const tokens = tokensOf(text);
  const from = random.below(tokens.length + 1);
  return tokens.slice(from, from + random.below(12));
}

function insert(text: string, added: readonly string[], random: Random): string {
  const tokens = tokensOf(text);
  return tokens.toSpliced(random.below(tokens.length + 1), 0, ...added).join('');
}

/** Spoils a template token by token, so that much of it still parses. */
export const templateMutations: readonly Mutation<string>[] = [
  { name: 'leave a token out', apply: (text, { random }) => replaceToken(text, random, { fits: /./s, to: '' }) },
  {
    name: 'another name',
    apply: (text, { random }) =>
      replaceToken(text, random, { fits: /\w/, to: pick([...ODD_WORDS, ...ODD_NAMES], random) }),
  },
  {
    name: 'another number',
    apply: (text, { random }) => replaceToken(text, random, { fits: /^\s*\d/, to: WORDS['huge']?.(random) ?? '' }),
  },
  {
    name: 'another string',
    apply: (text, { random }) => replaceToken(text, random, { fits: /['"]/, to: WORDS['string']?.(random) ?? '' }),
  },
  {
    name: 'an expression for a token',
    apply: (text, { random }) =>
      replaceToken(text, random, { fits: /^\s*\w/, to: ` (${makeExpression(random, STYLE)})` }),
  },
  { name: 'tokens of another', apply: (text, { random, other }) => insert(text, part(other, random), random) },
  { name: 'tokens twice', apply: (text, { random }) => insert(text, part(text, random), random) },
  {
    name: 'a sign',
    apply: (text, { random }) => insert(text, [pick(SIGNS, random)], random),
  },
  {
    name: 'change two tokens over',
    apply: (text, { random }) => {
      const tokens = tokensOf(text);
      if (tokens.length === 0) return text;
      const [one, two] = [random.below(tokens.length), random.below(tokens.length)];
      return tokens
        .with(one, tokens[two] ?? '')
        .with(two, tokens[one] ?? '')
        .join('');
    },
  },
  { name: 'many times over', apply: (text, { random }) => text.repeat(pick([2, 10, 100, 1000], random)) },
  {
    name: 'a line statement',
    apply: (text, { random }) => text.replaceAll(' ', pick(['\n', '\t', '\r\n', '\u00a0', '\u2028', ''], random)),
  },
];
