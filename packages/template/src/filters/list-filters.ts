import { entriesOf } from '../methods/collection-methods.ts';
import { builtin, type Builtin } from '../value/callable.ts';
import { Dict, Tuple } from '../value/collections.ts';
import { ordered } from '../value/compare.ts';
import { securityFault, typeFault } from '../value/fault.ts';
import { hashKey } from '../value/hash-key.ts';
import { iterate, plainMap, sizeOf, textOf } from '../value/iterate.ts';
import { Lazy } from '../value/lazy.ts';
import { Markup } from '../value/markup.ts';
import type { Meter } from '../value/meter.ts';
import { characters } from '../value/sequence.ts';
import { truthy } from '../value/truth.ts';
import { typeName } from '../value/type-name.ts';
import { Undefined } from '../value/undefined.ts';
import type { Value } from '../value/value.ts';
import { attributePath, attributePaths, ignoringCase } from './attribute-path.ts';

type Optional = Value | undefined;

/** An item, or undefined by Python's rules where there is none. */
function orUndefined(value: Optional, what: string, meter: Meter): Value {
  return value === undefined ? new Undefined(what, meter.manners.leniency) : value;
}

/** How to sort: by one key each; several keys are one list. */
export interface Sorting {
  readonly keys: readonly Value[];
  readonly reverse: boolean;
  readonly meter: Meter;
}

/** Sorts by keys made beforehand, keeping the order of equals in both directions, and charging each comparison. */
export function sortedBy(values: readonly Value[], how: Sorting): Value[] {
  const { keys, reverse, meter } = how;
  const before = (a: number, b: number): boolean => {
    meter.charge(2);
    return ordered(keys[a] as Value, keys[b] as Value, { by: '<', meter });
  };
  meter.chargeItems(values.length);
  const order = values.map((_, at) => at);
  order.sort((x, y) => {
    const [a, b] = reverse ? [y, x] : [x, y];
    if (before(a, b)) return -1;
    return before(b, a) ? 1 : x - y;
  });
  return order.map((at) => values[at] as Value);
}

function sort(self: Value, given: readonly Optional[], meter: Meter): Value {
  const [reverse = false, caseSensitive = false, attribute] = given;
  const values = iterate(self, meter);
  const fold = truthy(caseSensitive, meter) ? (value: Value): Value => value : ignoringCase;
  const picks = attributePaths(attribute, meter);
  const keys = values.map((value) => picks.map((pick) => fold(pick(value))));
  return sortedBy(values, { keys, reverse: truthy(reverse, meter), meter });
}

const extreme = (name: 'max' | 'min'): Builtin<Value> =>
  builtin(`${name}(case_sensitive?, attribute?)`, (self, [caseSensitive = false, attribute], meter) => {
    const values = iterate(self, meter);
    const fold = truthy(caseSensitive, meter) ? (value: Value): Value => value : ignoringCase;
    const pick = attributePath(attribute, meter);
    let best = values[0];
    if (best === undefined) return orUndefined(best, 'an item of an empty sequence', meter);
    let bestKey = fold(pick(best));
    for (const value of values.slice(1)) {
      meter.charge(2);
      const key = fold(pick(value));
      if (!ordered(key, bestKey, { by: name === 'max' ? '>' : '<', meter })) continue;
      [best, bestKey] = [value, key];
    }
    return best;
  });

function unique(self: Value, given: readonly Optional[], meter: Meter): Value {
  const [caseSensitive = false, attribute] = given;
  const fold = truthy(caseSensitive, meter) ? (value: Value): Value => value : ignoringCase;
  const pick = attributePath(attribute, meter);
  const seen = new Set<unknown>();
  const kept = iterate(self, meter).filter((value) => {
    meter.charge(1);
    const key = hashKey(fold(pick(value)), meter);
    return !seen.has(key) && seen.add(key);
  });
  return new Lazy(kept);
}

function reversed(self: Value, meter: Meter): Value {
  const text = textOf(self);
  if (text === undefined) return new Lazy(iterate(self, meter).toReversed());
  meter.chargeText(text.length);
  const turned = characters(text, meter).toReversed().join('');
  return self instanceof Markup ? new Markup(turned) : turned;
}

function mapItems(self: Value, meter: Meter): Value {
  if (self instanceof Undefined) return new Lazy([]);
  const map = self instanceof Dict ? self : plainMap(self);
  if (map === undefined) return typeFault('Can only get item pairs from a mapping.');
  return new Lazy(Array.from(entriesOf(map, meter), (pair) => new Tuple(pair)));
}

function length(self: Value, meter: Meter): Value {
  return sizeOf(self, meter) ?? typeFault(`object of type '${typeName(self)}' has no len()`);
}

function random(self: Value, meter: Meter): Value {
  if (sizeOf(self, meter) === undefined || self instanceof Dict || plainMap(self) !== undefined) {
    return typeFault(`random needs a sequence, not ${typeName(self)}`);
  }
  const values = iterate(self, meter);
  if (values.length <= 1) return orUndefined(values[0], 'an item of an empty sequence', meter);
  if (meter.random === undefined) securityFault("the filter 'random' without a source of randomness");
  return values[Math.floor(meter.random() * values.length)] as Value;
}

/** The filters on lists and maps that are allowed everywhere. */
export const LIST_FILTERS: readonly Builtin<Value>[] = [
  builtin('first()', (self, _given, meter) =>
    orUndefined(iterate(self, meter)[0], 'the first item of an empty sequence', meter),
  ),
  builtin('last()', (self, _given, meter) =>
    self instanceof Lazy
      ? typeFault("'generator' object is not reversible")
      : orUndefined(iterate(self, meter).at(-1), 'the last item of an empty sequence', meter),
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
