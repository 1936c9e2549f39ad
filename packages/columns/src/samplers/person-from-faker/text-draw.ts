import type { Random } from '@data-designer/core';

/** Draws a text at wherever `random` stands. */
export type TextDraw = (random: Random) => string;

/** Draws one of several texts, each as likely as any. */
export function oneText(texts: readonly string[]): TextDraw {
  const { length } = texts;
  return (random) => texts[random.below(length)] as string;
}

/** Draws by one of several ways, each as likely as any; a single way costs no draw. */
export function oneWay(ways: readonly TextDraw[]): TextDraw {
  const { length } = ways;
  if (length === 1) return ways[0] as TextDraw;
  return (random) => (ways[random.below(length)] as TextDraw)(random);
}

/** Draws texts one after the other, and joins them. */
export function inOrder(parts: readonly (string | TextDraw)[]): TextDraw {
  const [first, ...others] = parts;
  if (others.length === 0 && typeof first === 'function') return first;
  return (random) => {
    let text = '';
    for (const part of parts) text += typeof part === 'string' ? part : part(random);
    return text;
  };
}
