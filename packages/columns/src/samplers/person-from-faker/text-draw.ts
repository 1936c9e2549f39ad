import type { Random } from '@data-designer/core';
import { uniformChoice } from '../weighted-choice.ts';

/** Draws a text at wherever `random` stands. */
export type TextDraw = (random: Random) => string;

/** Draws by one of several ways, each as likely as any; a single way costs no draw. */
export function oneOfDraws(ways: readonly TextDraw[]): TextDraw {
  const [only, ...others] = ways;
  if (only && others.length === 0) return only;
  const choose = uniformChoice(ways);
  return (random) => choose(random)(random);
}

/** Draws texts one after the other, and joins them. */
export function joinedDraws(parts: readonly (string | TextDraw)[]): TextDraw {
  const [first, ...others] = parts;
  if (others.length === 0 && typeof first === 'function') return first;
  return (random) => {
    let text = '';
    for (const part of parts) text += typeof part === 'string' ? part : part(random);
    return text;
  };
}
