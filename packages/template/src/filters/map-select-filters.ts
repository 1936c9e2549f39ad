import type { Builtin, CallArguments } from '../value/callable.ts';
import { typeFault } from '../value/fault.ts';
import { iterate } from '../value/iterate.ts';
import { OneTimeIterable } from '../value/one-time-iterable.ts';
import type { Meter } from '../value/meter.ts';
import { str } from '../value/print.ts';
import { truthy } from '../value/truth.ts';
import type { Value } from '../value/value.ts';
import { attributeAccessor, type Pick, accessorWithDefault } from './attribute-path.ts';

/** How filters that run other filters and tests find them. */
export interface Library {
  readonly filter: (name: string) => Builtin<Value> | undefined;
  readonly test: (name: string) => Builtin<Value> | undefined;
}

/** The items to go through; what counts as false has none, as in Jinja2. */
function itemsToVisit(self: Value, meter: Meter): readonly Value[] {
  const items = truthy(self, meter) ? iterate(self, meter) : [];
  meter.charge(25 + 9 * items.length);
  return items;
}

/** What `map` does to an item: looks at an attribute, or runs a filter. */
function mapping(library: Library, given: CallArguments, meter: Meter): Pick {
  const { positional, keywords } = given;
  const attribute = keywords.get('attribute');
  if (positional.length === 0 && attribute !== undefined) {
    return accessorWithDefault(attributeAccessor(attribute, meter), keywords.get('default'));
  }
  const [name = null, ...rest] = positional;
  const filter = library.filter(str(name, meter)) ?? typeFault(`No filter named '${str(name, meter)}'`);
  return (value) => filter.call(value, { positional: rest, keywords }, meter);
}

/** What `select` asks of an item: a test, or whether it is true. */
function question(library: Library, given: CallArguments, meter: Meter): (value: Value) => boolean {
  const [name, ...rest] = given.positional;
  if (name === undefined) return (value) => truthy(value, meter);
  const test = library.test(str(name, meter)) ?? typeFault(`No test named '${str(name, meter)}'`);
  return (value) => truthy(test.call(value, { positional: rest, keywords: given.keywords }, meter), meter);
}

function choosing(library: Library, name: string, wanted: boolean): Builtin<Value> {
  return {
    name,
    call: (self, given, meter) => {
      const items = itemsToVisit(self, meter);
      if (items.length === 0) return new OneTimeIterable([]);
      const holds = question(library, given, meter);
      return new OneTimeIterable(items.filter((value) => holds(value) === wanted));
    },
  };
}

function choosingByAttribute(library: Library, name: string, wanted: boolean): Builtin<Value> {
  return {
    name,
    call: (self, given, meter) => {
      const items = itemsToVisit(self, meter);
      if (items.length === 0) return new OneTimeIterable([]);
      const [attribute = typeFault(`${name} needs an attribute`), ...positional] = given.positional;
      const pick = attributeAccessor(attribute, meter);
      const holds = question(library, { ...given, positional }, meter);
      return new OneTimeIterable(items.filter((value) => holds(pick(value)) === wanted));
    },
  };
}

/** The filters that run another filter or test on every item. */
export function mapAndSelectFilters(library: Library): readonly Builtin<Value>[] {
  return [
    {
      name: 'map',
      call: (self, given, meter) => {
        const items = itemsToVisit(self, meter);
        return new OneTimeIterable(items.length === 0 ? [] : items.map(mapping(library, given, meter)));
      },
    },
    choosing(library, 'select', true),
    choosing(library, 'reject', false),
    choosingByAttribute(library, 'selectattr', true),
    choosingByAttribute(library, 'rejectattr', false),
  ];
}
