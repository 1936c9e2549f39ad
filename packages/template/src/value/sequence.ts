import type { Meter } from './meter.ts';
import { index } from './number.ts';
import type { Value } from './value.ts';

const SURROGATE = /[\ud800-\udfff]/;

/** The characters of a text by code points, as Python counts them. */
export function characters(text: string, meter: Meter): readonly string[] {
  meter.chargeScan(text.length);
  return SURROGATE.test(text) ? Array.from(text) : text.split('');
}

/** How many code points a text has. */
export function textLength(text: string, meter: Meter): number {
  meter.charge(text.length / 64);
  if (!SURROGATE.test(text)) return text.length;
  meter.chargeScan(text.length);
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
export function pickCharacter(text: string, key: Value, meter: Meter): string | undefined {
  const at = index(key);
  if (at === undefined) return undefined;
  meter.charge(text.length / 64);
  if (!SURROGATE.test(text)) return text[at < 0 ? at + text.length : at];
  return pickItem(characters(text, meter), at) as string | undefined;
}
