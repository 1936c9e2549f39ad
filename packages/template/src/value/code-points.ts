import { countCharacters } from '@data-designer/core';
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

/** Counts the code points of a text. */
export function textLength(text: string, meter: Meter): number {
  meter.charge(text.length / 32);
  if (!SURROGATE.test(text)) return text.length;
  meter.charge(text.length / 10);
  return countCharacters(text);
}

/** The item at an index, counted from the end if negative; undefined if there is none. */
export function pickItem(values: readonly Value[], key: Value): Value | undefined {
  const at = resolveIndex(key, values.length);
  return at === undefined ? undefined : values[at];
}

/** An index without its sign: negative ones count from the end. Undefined if it is no integer or out of range. */
export function resolveIndex(key: Value, length: number): number | undefined {
  const at = index(key);
  if (at === undefined) return undefined;
  const position = at < 0 ? at + length : at;
  return position >= 0 && position < length ? position : undefined;
}

/** The character at an index, like `pickItem`. */
export function pickCharacter(text: string, key: Value, meter: Meter): string | undefined {
  if (index(key) === undefined) return undefined;
  meter.charge(text.length / 32);
  const hasPairs = SURROGATE.test(text);
  const at = resolveIndex(key, hasPairs ? textLength(text, meter) : text.length);
  if (at === undefined) return undefined;
  return hasPairs ? String.fromCodePoint(text.codePointAt(offsetOf(text, at, meter)) ?? 0) : text[at];
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
