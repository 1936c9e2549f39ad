import { textOf, truthy } from '../value/inspect.ts';
import { item } from '../methods/lookup.ts';
import type { Meter } from '../value/meter.ts';
import { Undefined } from '../value/undefined.ts';
import type { Optional, Value } from '../value/value.ts';

/** Reads the part of an item that a filter works on. */
export type Accessor = (value: Value) => Value;

/** Follows the path of `attribute='a.b.0'`; without a path, returns the item itself. */
export function attributeAccessor(attribute: Optional, meter: Meter): Accessor {
  if (attribute === undefined || attribute === null) return (value) => value;
  const text = textOf(attribute);
  const steps =
    text === undefined ? [attribute] : text.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  return (value) => {
    meter.charge(2 + 4 * steps.length);
    return steps.reduce<Value>((at, step) => item(at, step, meter), value);
  };
}

/** Follows each path of `attribute='a,b'`. */
export function attributeAccessors(attribute: Optional, meter: Meter): readonly Accessor[] {
  const text = attribute === undefined ? undefined : textOf(attribute);
  return (text === undefined ? [attribute] : text.split(',')).map((path) => attributeAccessor(path, meter));
}

/** Replaces undefined results by a default. */
export function accessorWithDefault(pick: Accessor, otherwise: Optional): Accessor {
  if (otherwise === undefined || otherwise === null) return pick;
  return (value) => {
    const found = pick(value);
    return found instanceof Undefined ? otherwise : found;
  };
}

/** Lower-cases the texts that an accessor reads, unless the filter is case-sensitive. */
export function caseFolding(pick: Accessor, caseSensitive: Value, meter: Meter): Accessor {
  if (truthy(caseSensitive, meter)) return pick;
  return (whole) => {
    const value = pick(whole);
    const text = textOf(value);
    if (text === undefined) return value;
    meter.charge(1 + text.length / 4);
    return text.toLowerCase();
  };
}
