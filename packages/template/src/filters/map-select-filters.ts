import type { Builtin, CallArguments } from '../value/callable.ts';
import { typeFault } from '../fault.ts';
import { iterate, truthy } from '../value/inspect.ts';
import { OneTimeIterable } from '../value/collections.ts';
import type { Meter } from '../value/meter.ts';
import { str } from '../value/print.ts';
import type { Value } from '../value/value.ts';
import { type Accessor, accessorWithDefault, attributeAccessor } from './item-accessors.ts';

/** Finds filters and tests by name. */
export interface Registry {
  readonly filter: (name: string) => Builtin<Value> | undefined;
  readonly test: (name: string) => Builtin<Value> | undefined;
}

/** The items of a value; as in Jinja2, a false value has none. */
function itemsToVisit(self: Value, meter: Meter): readonly Value[] {
  const items = truthy(self, meter) ? iterate(self, meter) : [];
  meter.charge(25 + 9 * items.length);
  return items;
}

/** `map` reads an attribute of each item, or runs a filter on it. */
function mapping(registry: Registry, given: CallArguments, meter: Meter): Accessor {
  const { positional, keywords } = given;
  const attribute = keywords.get('attribute');
  if (positional.length === 0 && attribute !== undefined) {
    return accessorWithDefault(attributeAccessor(attribute, meter), keywords.get('default'));
  }
  const [name = null, ...rest] = positional;
  const filter = registry.filter(str(name, meter)) ?? typeFault(`No filter named '${str(name, meter)}'`);
  return (value) => filter.call(value, { positional: rest, keywords }, meter);
}

/** `select` runs a test on each item, or checks whether it is true. */
function predicate(registry: Registry, given: CallArguments, meter: Meter): (value: Value) => boolean {
  const [name, ...rest] = given.positional;
  if (name === undefined) return (value) => truthy(value, meter);
  const test = registry.test(str(name, meter)) ?? typeFault(`No test named '${str(name, meter)}'`);
  return (value) => truthy(test.call(value, { positional: rest, keywords: given.keywords }, meter), meter);
}

function choosing(registry: Registry, name: string, wanted: boolean): Builtin<Value> {
  return {
    name,
    call: (self, given, meter) => {
      const items = itemsToVisit(self, meter);
      if (items.length === 0) return new OneTimeIterable([]);
      const holds = predicate(registry, given, meter);
      return new OneTimeIterable(items.filter((value) => holds(value) === wanted));
    },
  };
}

function choosingByAttribute(registry: Registry, name: string, wanted: boolean): Builtin<Value> {
  return {
    name,
    call: (self, given, meter) => {
      const items = itemsToVisit(self, meter);
      if (items.length === 0) return new OneTimeIterable([]);
      const [attribute = typeFault(`${name} needs an attribute`), ...positional] = given.positional;
      const pick = attributeAccessor(attribute, meter);
      const holds = predicate(registry, { ...given, positional }, meter);
      return new OneTimeIterable(items.filter((value) => holds(pick(value)) === wanted));
    },
  };
}

/** `map`, `select`, `reject` and their attribute forms, which run other filters and tests. */
export function mapAndSelectFilters(registry: Registry): readonly Builtin<Value>[] {
  return [
    {
      name: 'map',
      call: (self, given, meter) => {
        const items = itemsToVisit(self, meter);
        return new OneTimeIterable(items.length === 0 ? [] : items.map(mapping(registry, given, meter)));
      },
    },
    choosing(registry, 'select', true),
    choosing(registry, 'reject', false),
    choosingByAttribute(registry, 'selectattr', true),
    choosingByAttribute(registry, 'rejectattr', false),
  ];
}
