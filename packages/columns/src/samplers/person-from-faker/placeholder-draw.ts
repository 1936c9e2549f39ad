import type { Random } from '@data-designer/core';
import { joinedDraws, type TextDraw } from './text-draw.ts';

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';

/** What stands for something that is drawn, or text that stands for itself. */
const PARTS = /#+|[!?*]|[^#!?*]+/g;

/** How the digits of a number are drawn. */
interface FormOptions {
  /** Whether a row of digits may start with 0. */
  readonly leadingZeros: boolean;
}

/**
 * Draws text of a form: `#` stands for a digit, `!` for one from 2 to 9, `?` for a capital letter, `*` for a letter or
 * digit, and all else for itself.
 */
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
