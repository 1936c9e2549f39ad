import type { Random } from '@data-designer/core';
import { uniformChoice } from '../weighted-choice.ts';

/** Draws a text. */
export type TextDraw = (random: Random) => string;

/** Draws from one of several equally likely draws; a single one costs no extra draw. */
export function oneOfDraws(ways: readonly TextDraw[]): TextDraw {
  const [only, ...others] = ways;
  if (only && others.length === 0) return only;
  const choose = uniformChoice(ways);
  return (random) => choose(random)(random);
}

/** Concatenates drawn and literal texts. */
export function joinedDraws(parts: readonly (string | TextDraw)[]): TextDraw {
  const [first, ...others] = parts;
  if (others.length === 0 && typeof first === 'function') return first;
  return (random) => {
    let text = '';
    for (const part of parts) text += typeof part === 'string' ? part : part(random);
    return text;
  };
}
