import { textOf } from '../value/iterate.ts';
import { item } from '../value/lookup.ts';
import type { Meter } from '../value/meter.ts';
import { Undefined } from '../value/undefined.ts';
import type { Value } from '../value/value.ts';

/** Gives the part of an item that a filter looks at. */
export type Pick = (value: Value) => Value;

/** The path that `attribute='a.b.0'` names; nothing named means the item itself. */
export function attributeAccessor(attribute: Value | undefined, meter: Meter): Pick {
  if (attribute === undefined || attribute === null) return (value) => value;
  const text = textOf(attribute);
  const steps =
    text === undefined ? [attribute] : text.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  return (value) => {
    meter.charge(2 + 4 * steps.length);
    return steps.reduce<Value>((at, step) => item(at, step, meter), value);
  };
}

/** The paths that `attribute='a,b'` names. */
export function attributeAccessors(attribute: Value | undefined, meter: Meter): readonly Pick[] {
  const text = attribute === undefined ? undefined : textOf(attribute);
  return (text === undefined ? [attribute] : text.split(',')).map((path) => attributeAccessor(path, meter));
}

/** The same, with another value where nothing is found. */
export function accessorWithDefault(pick: Pick, otherwise: Value | undefined): Pick {
  if (otherwise === undefined || otherwise === null) return pick;
  return (value) => {
    const found = pick(value);
    return found instanceof Undefined ? otherwise : found;
  };
}

/** Text without regard to case, other values as they are. */
export function ignoringCase(meter: Meter): Pick {
  return (value) => {
    const text = textOf(value);
    if (text === undefined) return value;
    meter.charge(1 + text.length / 4);
    return text.toLowerCase();
  };
}
