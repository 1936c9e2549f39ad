import { type Builtin, builtin, byName } from '../value/callable.ts';
import { type AnyMap, entriesOf, mapItem, Tuple, View } from '../value/collections.ts';
import { equal } from '../value/equal.ts';
import { typeFault } from '../fault.ts';
import type { Meter } from '../value/meter.ts';
import { index } from '../value/number.ts';
import type { Optional, Value } from '../value/value.ts';

type Sequence = readonly Value[];
function position(self: Sequence, given: readonly Optional[], meter: Meter): number {
  const [sought = null, start = 0, stop = self.length] = given;
  const clamp = (at: number): number => (at < 0 ? Math.max(0, at + self.length) : at);
  const from = clamp(index(start) ?? 0);
  const to = clamp(index(stop) ?? self.length);
  meter.charge(1 + 3 * self.length);
  const found = self.findIndex((value, at) => at >= from && at < to && equal(value, sought, meter));
  return found < 0 ? typeFault('the value is not in the list') : found;
}

function occurrences(self: Sequence, sought: Value, meter: Meter): number {
  meter.charge(1 + 3 * self.length);
  return self.filter((value) => equal(value, sought, meter)).length;
}

const SEQUENCE: readonly Builtin<Sequence>[] = [
  builtin('index(value, start?, stop?, /)', (self, given, meter) => position(self, given, meter)),
  builtin('count(value, /)', (self, [sought = null], meter) => occurrences(self, sought, meter)),
];

const view = (kind: 'keys' | 'values' | 'items', pick: (entry: readonly [Value, Value]) => Value): Builtin<AnyMap> =>
  builtin(`${kind}()`, (self, _given, meter) => new View(kind, Array.from(entriesOf(self, meter), pick)));

const MAP: readonly Builtin<AnyMap>[] = [
  builtin('get(key, default?, /)', (self, [key = null, otherwise = null], meter) => {
    const found = mapItem(self, key, meter);
    return found === undefined ? otherwise : found;
  }),
  view('keys', ([key]) => key),
  view('values', ([, value]) => value),
  view('items', (entry) => new Tuple(entry)),
  builtin('copy()', (self) => self),
];

/** The methods of lists, without those that change a list. */
export const LIST_METHODS = byName<Sequence>([...SEQUENCE, builtin('copy()', (self) => self)]);

/** The methods of tuples and ranges. */
export const TUPLE_METHODS = byName<Sequence>(SEQUENCE);

/** The methods of maps, without those that change a map. */
export const MAP_METHODS = byName<AnyMap>(MAP);
