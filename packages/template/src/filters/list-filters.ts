import { compareText } from '@data-designer/core';
import { builtin, type Builtin, type Implementation } from '../value/callable.ts';
import { Dict, entriesOf, hashKey, mapOf, OneTimeIterable, Tuple } from '../value/collections.ts';
import { compareValues, isOrdered } from '../value/compare.ts';
import { securityFault, typeFault } from '../fault.ts';
import { iterate, plainMap, sizeOf, textOf, truthy, typeName } from '../value/inspect.ts';
import { markedLike } from '../value/markup.ts';
import type { Meter } from '../value/meter.ts';
import { characters, pickCharacter } from '../value/code-points.ts';
import { Undefined } from '../value/undefined.ts';
import type { Optional, Value } from '../value/value.ts';
import { attributeAccessor, attributeAccessors, caseFolding } from './item-accessors.ts';

/** The item, or an undefined value if there is none. */
function orUndefined(value: Optional, what: string, meter: Meter): Value {
  return value === undefined ? new Undefined(what, meter) : value;
}

/** How to sort values: `keys` holds one key per value. */
export interface Sorting {
  readonly keys: readonly Value[];
  readonly reverse: boolean;
  readonly meter: Meter;
}

/** Compares two keys, as for `Array.sort`. */
function comparison(a: Value, b: Value, meter: Meter): number {
  meter.charge(2);
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'string' && typeof b === 'string') {
    meter.charge(Math.min(a.length, b.length) / 8);
    return compareText(a, b);
  }
  meter.charge(6);
  return compareValues(a, b, meter);
}

/** Sorts by precomputed keys, stable in both directions, and charges each comparison. */
export function sortedBy(values: readonly Value[], how: Sorting): Value[] {
  const { keys, reverse, meter } = how;
  meter.charge(20 + 5 * values.length);
  const order = values.map((_, at) => at);
  order.sort((x, y) => {
    const sign = comparison(keys[x] ?? null, keys[y] ?? null, meter);
    return (reverse ? -sign : sign) || x - y;
  });
  return order.map((at) => values[at] ?? null);
}

const sort: Implementation<Value> = (self, [reverse = false, caseSensitive = false, attribute], meter) => {
  const values = iterate(self, meter);
  const picks = attributeAccessors(attribute, meter).map((pick) => caseFolding(pick, caseSensitive, meter));
  meter.charge(values.length * (3 + 2 * picks.length));
  const [only] = picks.length === 1 ? picks : [];
  const single = only === undefined ? undefined : values.map(only);
  // Several keys, or keys that may be undefined, are compared as lists.
  const keys =
    single === undefined || single.some((key) => key instanceof Undefined)
      ? values.map((value) => picks.map((pick) => pick(value)))
      : single;
  return sortedBy(values, { keys, reverse: truthy(reverse, meter), meter });
};

const extreme = (name: 'max' | 'min'): Builtin<Value> =>
  builtin(`${name}(case_sensitive?, attribute?)`, (self, [caseSensitive = false, attribute], meter) => {
    const values = iterate(self, meter);
    const keyOf = caseFolding(attributeAccessor(attribute, meter), caseSensitive, meter);
    let best = values[0];
    if (best === undefined) return orUndefined(best, 'an item of an empty sequence', meter);
    let bestKey = keyOf(best);
    meter.chargeItems(values.length);
    for (const value of values.slice(1)) {
      meter.charge(4);
      const key = keyOf(value);
      if (!isOrdered(key, bestKey, { by: name === 'max' ? '>' : '<', meter })) continue;
      [best, bestKey] = [value, key];
    }
    return best;
  });

const unique: Implementation<Value> = (self, [caseSensitive = false, attribute], meter) => {
  const keyOf = caseFolding(attributeAccessor(attribute, meter), caseSensitive, meter);
  meter.charge(20);
  const seen = new Set<unknown>();
  const kept = iterate(self, meter).filter((value) => {
    meter.charge(5);
    const key = hashKey(keyOf(value), meter);
    return !seen.has(key) && seen.add(key);
  });
  return new OneTimeIterable(kept);
};

function reversed(self: Value, meter: Meter): Value {
  const text = textOf(self);
  if (text === undefined) {
    const items = iterate(self, meter);
    meter.charge(15);
    meter.chargeItems(items.length);
    return new OneTimeIterable(items.toReversed());
  }
  meter.chargeText(text.length);
  meter.charge(20 + text.length);
  return markedLike(self, characters(text, meter).toReversed().join(''));
}

function mapItems(self: Value, meter: Meter): Value {
  if (self instanceof Undefined) return new OneTimeIterable([]);
  const map = mapOf(self);
  if (map === undefined) return typeFault('Can only get item pairs from a mapping.');
  return new OneTimeIterable(Array.from(entriesOf(map, meter), (pair) => new Tuple(pair)));
}

function length(self: Value, meter: Meter): Value {
  return sizeOf(self, meter) ?? typeFault(`object of type '${typeName(self)}' has no len()`);
}

/** The first or last character of a text. */
function textEnd(self: Value, at: 0 | -1, meter: Meter): Value | undefined {
  const text = textOf(self);
  return text === undefined || text === '' ? undefined : pickCharacter(text, at, meter);
}

function random(self: Value, meter: Meter): Value {
  if (sizeOf(self, meter) === undefined || self instanceof Dict || plainMap(self) !== undefined) {
    return typeFault(`random needs a sequence, not ${typeName(self)}`);
  }
  const values = iterate(self, meter);
  if (values.length <= 1) return orUndefined(values[0], 'an item of an empty sequence', meter);
  if (meter.random === undefined) securityFault("the filter 'random' without a source of randomness");
  return values[Math.floor(meter.random() * values.length)] ?? null;
}

/** The filters on lists and maps for both modes. */
export const LIST_FILTERS: readonly Builtin<Value>[] = [
  builtin('first()', (self, _given, meter) =>
    orUndefined(textEnd(self, 0, meter) ?? iterate(self, meter)[0], 'the first item of an empty sequence', meter),
  ),
  builtin('last()', (self, _given, meter) =>
    self instanceof OneTimeIterable
      ? typeFault("'generator' object is not reversible")
      : orUndefined(
          textEnd(self, -1, meter) ?? iterate(self, meter).at(-1),
          'the last item of an empty sequence',
          meter,
        ),
  ),
  builtin('length()', (self, _given, meter) => length(self, meter)),
  builtin('count()', (self, _given, meter) => length(self, meter)),
  builtin('list()', (self, _given, meter) => iterate(self, meter)),
  builtin('items()', (self, _given, meter) => mapItems(self, meter)),
  builtin('sort(reverse?, case_sensitive?, attribute?)', sort),
  builtin('unique(case_sensitive?, attribute?)', unique),
  builtin('reverse()', (self, _given, meter) => reversed(self, meter)),
  builtin('random()', (self, _given, meter) => random(self, meter)),
  extreme('max'),
  extreme('min'),
];
