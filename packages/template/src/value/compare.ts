import { compareText } from '@data-designer/core';
import type { Comparison } from '../syntax/tree.ts';
import { Dict, hashKey, sequenceItems, Tuple } from './collections.ts';
import { equal } from './equal.ts';
import { typeFault } from '../fault.ts';
import { itemsOf, plainMap, textOf, typeName } from './inspect.ts';
import type { Meter } from './meter.ts';
import { comparable, numeric } from './number.ts';
import { Undefined } from './undefined.ts';
import type { Value } from './value.ts';

/** An ordering comparison. */
export type Ordering = '<' | '<=' | '>' | '>=';

/** Python's ordering: numbers by value, text by code points, sequences by items; ends the render for other values. */
export function isOrdered(a: Value, b: Value, how: { readonly by: Ordering; readonly meter: Meter }): boolean {
  const { by, meter } = how;
  if (a instanceof Undefined) a.fail();
  if (b instanceof Undefined) b.fail();
  const x = numeric(a);
  const y = numeric(b);
  if (x !== undefined && y !== undefined) return holds(comparable(x), comparable(y), by);
  const left = textOf(a);
  const right = textOf(b);
  if (left !== undefined && right !== undefined) {
    meter.chargeScan(Math.min(left.length, right.length));
    return holds(compareText(left, right), 0, by);
  }
  if (a instanceof Tuple === b instanceof Tuple) {
    const items = sequenceItems(a);
    const others = sequenceItems(b);
    if (items !== undefined && others !== undefined) return meter.deeper(() => orderedItems(items, others, how));
  }
  return typeFault(`'${by}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`);
}

function holds(a: number | bigint, b: number | bigint, by: Ordering): boolean {
  if (by === '<') return a < b;
  if (by === '<=') return a <= b;
  return by === '>' ? a > b : a >= b;
}

function orderedItems(a: readonly Value[], b: readonly Value[], how: { by: Ordering; meter: Meter }): boolean {
  const { by, meter } = how;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    meter.charge(3);
    const [x, y] = [a[at] ?? null, b[at] ?? null];
    if (!equal(x, y, meter)) return isOrdered(x, y, how);
  }
  return holds(a.length, b.length, by);
}

/** Compares two orderable values, as for `Array.sort`. */
export function compareValues(a: Value, b: Value, meter: Meter): number {
  if (isOrdered(a, b, { by: '<', meter })) return -1;
  return isOrdered(b, a, { by: '<', meter }) ? 1 : 0;
}

/** Python's `in`. */
function contains(whole: Value, part: Value, meter: Meter): boolean {
  const text = textOf(whole);
  if (text !== undefined) {
    const piece = textOf(part);
    if (piece === undefined) {
      if (part instanceof Undefined) part.failIfStrict();
      typeFault(`'in <string>' requires string as left operand, not ${typeName(part)}`);
    }
    meter.chargeSearch(text.length, piece.length);
    return text.includes(piece);
  }
  if (whole instanceof Dict) return whole.get(part, meter) !== undefined;
  const map = plainMap(whole);
  if (map !== undefined) {
    const key = hashKey(part, meter);
    return typeof key === 'string' && Object.hasOwn(map, key);
  }
  const items = itemsOf(whole, meter) ?? typeFault(`argument of type '${typeName(whole)}' is not iterable`);
  meter.charge(1 + 3 * items.length);
  return items.some((item) => item === part || equal(item, part, meter));
}

/** The comparison operators by their signs. */
export const COMPARISONS: { readonly [Sign in Comparison]: (a: Value, b: Value, meter: Meter) => boolean } = {
  '==': equal,
  '!=': (a, b, meter) => !equal(a, b, meter),
  '<': (a, b, meter) => isOrdered(a, b, { by: '<', meter }),
  '<=': (a, b, meter) => isOrdered(a, b, { by: '<=', meter }),
  '>': (a, b, meter) => isOrdered(a, b, { by: '>', meter }),
  '>=': (a, b, meter) => isOrdered(a, b, { by: '>=', meter }),
  in: (a, b, meter) => contains(b, a, meter),
  'not in': (a, b, meter) => !contains(b, a, meter),
};
