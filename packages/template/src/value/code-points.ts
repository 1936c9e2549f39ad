import type { Meter } from './meter.ts';
import { index } from './number.ts';
import type { Value } from './value.ts';

const SURROGATE = /[\ud800-\udfff]/;

/** The characters of a text; Python counts code points. */
export function characters(text: string, meter: Meter): readonly string[] {
  meter.charge(1 + text.length);
  if (!SURROGATE.test(text)) return text.split('');
  meter.charge(2 * text.length);
  return Array.from(text);
}

/** Counts the code points of a text that the caller has charged for. */
export function countCharacters(text: string): number {
  return SURROGATE.test(text) ? text.length - countPairs(text) : text.length;
}

/** Counts the code points of a text. */
export function textLength(text: string, meter: Meter): number {
  meter.charge(text.length / 32);
  if (!SURROGATE.test(text)) return text.length;
  meter.charge(text.length / 10);
  return text.length - countPairs(text);
}

/** The item at an index, counted from the end if negative; undefined if there is none. */
export function pickItem(values: readonly Value[], key: Value): Value | undefined {
  const at = index(key);
  if (at === undefined) return undefined;
  return values[at < 0 ? at + values.length : at];
}

/** The character at an index, like `pickItem`. */
export function pickCharacter(text: string, key: Value, meter: Meter): string | undefined {
  const at = index(key);
  if (at === undefined) return undefined;
  meter.charge(text.length / 32);
  if (!SURROGATE.test(text)) return text[at < 0 ? at + text.length : at];
  const length = textLength(text, meter);
  const position = at < 0 ? at + length : at;
  if (position < 0 || position >= length) return undefined;
  return String.fromCodePoint(text.codePointAt(offsetOf(text, position, meter)) ?? 0);
}

/** Counts the surrogate pairs of a text. */
function countPairs(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    pairs += 1;
    at += 1;
  }
  return pairs;
}

/** Converts an index in code points to an offset in the text. */
export function offsetOf(text: string, position: number, meter: Meter): number {
  meter.charge(text.length / 32);
  if (!SURROGATE.test(text)) return position;
  meter.charge(Math.min(position, text.length) / 6);
  let offset = 0;
  for (let left = position; left > 0 && offset < text.length; left--) {
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return offset;
}
