import { Dict, mapOf, Range, Tuple } from './collections.ts';
import { itemsOf, sizeOf, textOf } from './inspect.ts';
import type { Meter } from './meter.ts';
import { comparable, numeric } from './number.ts';
import { Undefined } from './undefined.ts';
import { isList, type Value } from './value.ts';

/** Python's `==`: compares lists and maps by value; `1 == 1.0 == True`; text never equals a number. */
export function equal(a: Value, b: Value, meter: Meter): boolean {
  if (a === b && typeof a !== 'number' && !(a instanceof Undefined)) return true;
  const x = numeric(a);
  const y = numeric(b);
  // `==` compares a number and a bigint exactly, as Python does.
  // oxlint-disable-next-line eqeqeq
  if (x !== undefined && y !== undefined) return comparable(x) == comparable(y);
  if (a instanceof Undefined || b instanceof Undefined) return equalUndefined(a, b);
  const text = textOf(a);
  if (text !== undefined) {
    meter.charge(text.length / 10);
    return text === textOf(b);
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  return meter.deeper(() => equalCollections(a, b, meter));
}

function equalUndefined(a: Value, b: Value): boolean {
  if (a instanceof Undefined) a.failIfStrict();
  if (b instanceof Undefined) b.failIfStrict();
  return a instanceof Undefined && b instanceof Undefined;
}

function equalCollections(a: Value, b: Value, meter: Meter): boolean {
  if (isList(a) !== isList(b)) return false;
  if (isList(a) || (a instanceof Tuple && b instanceof Tuple) || (a instanceof Range && b instanceof Range)) {
    const left = itemsOf(a, meter) ?? [];
    const right = itemsOf(b, meter) ?? [];
    meter.charge(6 + 2 * left.length);
    return left.length === right.length && left.every((item, index) => equal(item, right[index] ?? null, meter));
  }
  const left = valuesByHash(a, meter);
  const right = left === undefined ? undefined : valuesByHash(b, meter);
  if (left === undefined || right === undefined || left.size !== right.size) return false;
  meter.charge(6 + 20 * left.size);
  for (const [key, value] of left) {
    const other = right.get(key);
    if (other === undefined || !equal(value, other, meter)) return false;
  }
  return true;
}

function valuesByHash(value: Value, meter: Meter): ReadonlyMap<unknown, Value> | undefined {
  const map = mapOf(value);
  if (map === undefined) return undefined;
  meter.charge(15 * (sizeOf(map, meter) ?? 0));
  return map instanceof Dict ? map.byHash() : new Map<unknown, Value>(Object.entries(map));
}
