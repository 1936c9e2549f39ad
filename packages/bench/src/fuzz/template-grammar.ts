import type { Random } from '@data-designer/core';
import { pick } from './mutations/mutation.ts';
import { type Kind, LITERALS, SECURE_FORMS } from './template-forms.ts';
import { NATIVE_FORMS, NATIVE_STATEMENTS, SECURE_STATEMENTS } from './template-native-forms.ts';
import { COLUMNS } from './template-record.ts';
import { BOMBS, NESTINGS, STRANGE_EXPRESSIONS, STRANGE_STATEMENTS, WRAPPINGS } from './template-strange-forms.ts';
import { WORDS } from './template-words.ts';

/** How a template is made. */
export interface TemplateStyle {
  /** Levels of forms within forms. */
  readonly depth: number;
  /** The filters and statements it is made of. */
  readonly mode: 'secure' | 'native';
  /** How often, from 0 to 1, it says what no honest template would. */
  readonly strangeness: number;
}

const KINDS = Object.keys(LITERALS) as readonly Kind[];
const NEW_NAMES = ['x', 'y', 'one', 'key'];

/** Where a template is being made: its style, and the names bound so far. */
interface Growth {
  readonly random: Random;
  readonly style: TemplateStyle;
  readonly bound: readonly string[];
  readonly depth: number;
}

/** A template of a style: the same draws make the same one. */
export function makeTemplate(random: Random, style: TemplateStyle): string {
  const growth: Growth = { random, style, bound: [], depth: style.depth };
  const count = 1 + random.below(3);
  const made = Array.from({ length: count }, () => statement(growth)).join('');
  return random.float() < 0.25 ? withSpaceControl(made, random) : made;
}

/** One expression of a style, without braces. */
export function makeExpression(random: Random, style: TemplateStyle): string {
  return expression(pick(KINDS, random), { random, style, bound: [], depth: style.depth });
}

/** A template that asks for much time or memory, or goes deep. */
export function makeBomb(random: Random): string {
  const style: TemplateStyle = { depth: 1, mode: 'native', strangeness: 0 };
  const growth: Growth = { random, style, bound: [], depth: 1 };
  if (random.float() < 0.6) return fill(pick(BOMBS, random), growth);
  const times = pick([5, 50, 199, 300, 599, 1500, 5000, 20_000], random);
  if (random.float() < 0.3) return wrap(statement(growth), pick(NESTINGS, random), times);
  return `{{ ${wrap(expression('any', growth), pick(WRAPPINGS, random), times)} }}`;
}

function wrap(inner: string, [open, close]: readonly [string, string], times: number): string {
  return open.repeat(times) + inner + close.repeat(times);
}

function statement(growth: Growth): string {
  const { random, style, depth } = growth;
  if (random.float() < style.strangeness) return fill(pick(STRANGE_STATEMENTS, random), growth);
  if (depth <= 0) return fill(pick(['{{ <any> }}', '<data>'], random), growth);
  const isNative = style.mode === 'native' && random.float() < 0.35;
  return fill(pick(isNative ? NATIVE_STATEMENTS : SECURE_STATEMENTS, random), growth);
}

/** Some statements, one after the other. */
function body(growth: Growth): string {
  const count = pick([0, 1, 1, 1, 2], growth.random);
  return Array.from({ length: count }, () => statement(growth)).join('');
}

function expression(kind: Kind, growth: Growth): string {
  const { random, style, depth } = growth;
  const wanted = random.float() < 0.08 ? pick(KINDS, random) : kind;
  if (random.float() < style.strangeness) return fill(pick(STRANGE_EXPRESSIONS, random), growth);
  if (depth <= 0 || random.float() < 0.2) return leaf(wanted, growth);
  const isNative = style.mode === 'native' && random.float() < 0.4;
  return fill(pick((isNative ? NATIVE_FORMS : SECURE_FORMS)[wanted], random), growth);
}

function leaf(kind: Kind, growth: Growth): string {
  const { random, bound } = growth;
  const draw = random.float();
  if (bound.length > 0 && draw < 0.35) return pick(bound, random);
  if (draw < 0.75) return pick(COLUMNS[kind], random);
  return fill(pick(LITERALS[kind], random), growth);
}

/** A form with its marks replaced, from left to right; the names that it binds may be used in its bodies. */
function fill(form: string, growth: Growth): string {
  const inner = { ...growth, depth: growth.depth - 1 };
  let bound = growth.bound;
  return form.replaceAll(/<([a-z]+)>/g, (mark, word: string) => {
    if (word === 'new') {
      const name = pick(NEW_NAMES, growth.random);
      bound = [...bound, name];
      return name;
    }
    if (word === 'body') return body({ ...inner, bound });
    if (word === 'outer') return body(inner);
    if (Object.hasOwn(WORDS, word)) return WORDS[word]?.(growth.random) ?? mark;
    return Object.hasOwn(LITERALS, word) ? grouped(expression(word as Kind, inner), growth.random) : mark;
  });
}

/** Mostly in parentheses where it has operators; without them it may read as another expression. */
function grouped(text: string, random: Random): string {
  return /[\s|]/.test(text) && random.float() < 0.75 ? `(${text})` : text;
}

/** The marks that take white space away, or keep it, here and there. */
function withSpaceControl(template: string, random: Random): string {
  return template
    .replaceAll(/\{[%{#]/g, (open) => open + pick(['', '', '-', '+'], random))
    .replaceAll(/[%}#]\}/g, (close) => pick(['', '', '-', close === '%}' ? '+' : ''], random) + close);
}
