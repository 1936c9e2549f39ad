import type { Random } from '@data-designer/core';
import { joinedDraws, type TextDraw } from './text-draw.ts';

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';

/** A placeholder, or literal text. */
const PARTS = /#+|[!?*]|[^#!?*]+/g;

interface FormOptions {
  /** Whether a number may start with 0. */
  readonly leadingZeros: boolean;
}

/** Draws text of a format: `#` digit, `!` digit from 2, `?` capital letter, `*` capital letter or digit. */
export function placeholderDraw(form: string, { leadingZeros }: FormOptions = { leadingZeros: true }): TextDraw {
  const parts = form.match(PARTS) ?? [];
  return joinedDraws(parts.map((part) => partDraw(part, leadingZeros)));
}

function partDraw(part: string, leadingZeros: boolean): string | TextDraw {
  if (part.startsWith('#')) return leadingZeros ? digits(part.length) : number(part.length);
  if (part === '!') return characterOf('23456789');
  if (part === '?') return characterOf(CAPITALS);
  return part === '*' ? characterOf(CAPITALS + DIGITS) : part;
}

function digits(length: number): TextDraw {
  const bound = 10 ** length;
  return (random) => String(random.below(bound)).padStart(length, '0');
}

function number(length: number): TextDraw {
  const least = 10 ** (length - 1);
  return (random) => String(least + random.below(9 * least));
}

function characterOf(characters: string) {
  return (random: Random) => characters.charAt(random.below(characters.length));
}
