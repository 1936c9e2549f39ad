import type { Meter } from './meter.ts';
import { index } from './number.ts';
import type { Value } from './value.ts';

const SURROGATE = /[\ud800-\udfff]/;

/** The characters of a text by code points, as Python counts them. */
export function characters(text: string, meter: Meter): readonly string[] {
  meter.charge(1 + text.length);
  if (!SURROGATE.test(text)) return text.split('');
  meter.charge(2 * text.length);
  return Array.from(text);
}

/** How many code points a text has, where somebody else has paid for looking. */
export function countCharacters(text: string): number {
  return SURROGATE.test(text) ? text.length - pairsBefore(text, text.length) : text.length;
}

/** How many code points a text has. */
export function textLength(text: string, meter: Meter): number {
  meter.charge(text.length / 32);
  if (!SURROGATE.test(text)) return text.length;
  meter.charge(text.length / 10);
  return text.length - pairsBefore(text, text.length);
}

/** The item at an index, from the end where it is negative; undefined where there is none. */
export function pickItem(values: readonly Value[], key: Value): Value | undefined {
  const at = index(key);
  if (at === undefined) return undefined;
  return values[at < 0 ? at + values.length : at];
}

/** The character at an index, as `pickItem`. */
export function pickCharacter(text: string, key: Value, meter: Meter): string | undefined {
  const at = index(key);
  if (at === undefined) return undefined;
  meter.charge(text.length / 32);
  if (!SURROGATE.test(text)) return text[at < 0 ? at + text.length : at];
  const length = textLength(text, meter);
  const place = at < 0 ? at + length : at;
  if (place < 0 || place >= length) return undefined;
  return String.fromCodePoint(text.codePointAt(offsetOf(text, place, meter)) as number);
}

/** How many characters of two units begin before an offset. */
function pairsBefore(text: string, end: number): number {
  let pairs = 0;
  for (let at = 0; at < end; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    pairs += 1;
    at += 1;
  }
  return pairs;
}

/** The offset in a text at which a character begins, by its place among the code points. */
export function offsetOf(text: string, place: number, meter: Meter): number {
  meter.charge(text.length / 32);
  if (!SURROGATE.test(text)) return place;
  meter.charge(Math.min(place, text.length) / 6);
  let offset = 0;
  for (let left = place; left > 0 && offset < text.length; left--) {
    offset += (text.codePointAt(offset) as number) > 0xffff ? 2 : 1;
  }
  return offset;
}
