import { index } from './number.ts';
import type { Value } from './value.ts';

const SURROGATE = /[\ud800-\udfff]/;

/** The characters of a text by code points, as Python counts them. */
export function characters(text: string): readonly string[] {
  return SURROGATE.test(text) ? Array.from(text) : text.split('');
}

/** How many code points a text has. */
export function textLength(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** The item at an index, from the end where it is negative; undefined where there is none. */
export function pickItem(values: readonly Value[], key: Value): Value | undefined {
  const at = index(key);
  if (at === undefined) return undefined;
  return values[at < 0 ? at + values.length : at];
}

/** The character at an index, as `pickItem`. */
export function pickCharacter(text: string, key: Value): string | undefined {
  const at = index(key);
  if (at === undefined) return undefined;
  if (!SURROGATE.test(text)) return text[at < 0 ? at + text.length : at];
  return pickItem(characters(text), at) as string | undefined;
}
