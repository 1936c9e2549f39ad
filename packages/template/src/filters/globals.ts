import { DataDesignerError } from '@data-designer/core';
import { type Given, Variadic } from '../value/callable.ts';
import { Dict, Range } from '../value/collections.ts';
import { entriesOf } from '../methods/collection-methods.ts';
import { securityFault, typeFault } from '../value/fault.ts';
import { iterate, plainMap } from '../value/iterate.ts';
import { str } from '../value/print.ts';
import type { Meter } from '../value/meter.ts';
import { Namespace } from '../value/namespace.ts';
import { index } from '../value/number.ts';
import type { GLOBAL_NAMES } from '../syntax/names.ts';
import type { Value } from '../value/value.ts';

const MAX_RANGE = 100_000;

function range({ positional, keywords }: Given): Value {
  if (keywords.size > 0) typeFault('range() takes no keyword arguments');
  const numbers = positional.map((value) => index(value) ?? typeFault('range() needs integers'));
  if (numbers.length === 0 || numbers.length > 3) typeFault('range() takes one to three arguments');
  const [first = 0, second, step = 1] = numbers;
  if (step === 0) typeFault('range() arg 3 must not be zero');
  const made = second === undefined ? new Range(0, first, 1) : new Range(first, second, step);
  if (made.length > MAX_RANGE)
    throw new DataDesignerError('template/limit', { what: 'items of a range', limit: MAX_RANGE });
  return made;
}

function dict({ positional, keywords }: Given, meter: Meter): Value {
  if (positional.length > 1) typeFault('dict() takes at most one positional argument');
  const made = new Dict();
  const [from] = positional;
  if (from !== undefined) for (const [key, value] of pairsOf(from, meter)) made.set(key, value, meter);
  for (const [key, value] of keywords) made.set(key, value, meter);
  return made;
}

function pairsOf(from: Value, meter: Meter): Iterable<readonly [Value, Value]> {
  const map = from instanceof Dict ? from : plainMap(from);
  if (map !== undefined) return entriesOf(map, meter);
  return iterate(from, meter).map((pair) => {
    const parts = iterate(pair, meter);
    return parts.length === 2 ? [parts[0] as Value, parts[1] as Value] : typeFault('dict() needs pairs');
  });
}

function namespace(given: Given, meter: Meter): Value {
  const values = dict(given, meter) as Dict;
  return new Namespace(Array.from(values.entries(), ([key, value]) => [str(key, meter), value] as const));
}

const unsupported = (name: string) => (): Value => securityFault(`'${name}', which is not supported`);

const FUNCTIONS: { readonly [Name in (typeof GLOBAL_NAMES)[number]]: (given: Given, meter: Meter) => Value } = {
  range,
  dict,
  namespace,
  lipsum: unsupported('lipsum'),
  cycler: unsupported('cycler'),
  joiner: unsupported('joiner'),
};

/** What every template knows beside its columns. */
export const GLOBALS: ReadonlyMap<string, Value> = new Map(
  Object.entries(FUNCTIONS).map(([name, run]) => [name, new Variadic(`the function '${name}'`, run)]),
);
