import { DataDesignerError } from '@data-designer/core';
import { type CallArguments, Variadic } from '../value/callable.ts';
import { Dict, Range } from '../value/collections.ts';
import { entriesOf } from '../methods/collection-methods.ts';
import { securityFault, typeFault } from '../value/fault.ts';
import { iterate, plainMap } from '../value/iterate.ts';
import { str } from '../value/print.ts';
import type { Meter } from '../value/meter.ts';
import { Namespace } from '../value/namespace.ts';
import { index } from '../value/number.ts';
import type { GLOBAL_NAMES } from '../syntax/builtin-names.ts';
import { TemplateObject, type Value } from '../value/value.ts';

const MAX_RANGE = 100_000;

function range({ positional, keywords }: CallArguments): Value {
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

function dict({ positional, keywords }: CallArguments, meter: Meter): Value {
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
    meter.charge(20);
    const parts = iterate(pair, meter);
    return parts.length === 2 ? [parts[0] as Value, parts[1] as Value] : typeFault('dict() needs pairs');
  });
}

function namespace(given: CallArguments, meter: Meter): Value {
  const values = dict(given, meter) as Dict;
  meter.charge(10 + 10 * values.size());
  return new Namespace(Array.from(values.entries(), ([key, value]) => [str(key, meter), value] as const));
}

/** Refused where it is called by its name; here it has been passed around. */
const lipsum = (): Value => securityFault("the function 'lipsum'");

/** Gives its values one after the other, again and again. */
class Cycler extends TemplateObject {
  readonly typeName = 'Cycler';
  readonly #values: readonly Value[];
  #at = 0;

  constructor(values: readonly Value[]) {
    super();
    this.#values = values;
  }

  print(): string {
    return '<Cycler>';
  }

  override member(name: string): Value | undefined {
    const current = this.#values[this.#at] as Value;
    if (name === 'current') return current;
    if (name === 'next') return new Variadic("the method 'next'", () => this.#next());
    return name === 'reset' ? new Variadic("the method 'reset'", () => this.#reset()) : undefined;
  }

  #next(): Value {
    const current = this.#values[this.#at] as Value;
    this.#at = (this.#at + 1) % this.#values.length;
    return current;
  }

  #reset(): null {
    this.#at = 0;
    return null;
  }
}

function cycler({ positional, keywords }: CallArguments): Value {
  if (positional.length === 0 || keywords.size > 0) typeFault('cycler() needs at least one value, and no keywords');
  return new Cycler(positional);
}

/** Gives nothing once, then its separator. */
function joiner({ positional, keywords }: CallArguments): Value {
  const separator = positional[0] ?? keywords.get('sep') ?? ', ';
  let used = false;
  return new Variadic('a joiner', () => {
    if (used) return separator;
    used = true;
    return '';
  });
}

const FUNCTIONS: { readonly [Name in (typeof GLOBAL_NAMES)[number]]: (given: CallArguments, meter: Meter) => Value } = {
  range,
  dict,
  namespace,
  lipsum,
  cycler,
  joiner,
};

/** What every template knows beside its columns. */
export const GLOBALS: ReadonlyMap<string, Value> = new Map(
  Object.entries(FUNCTIONS).map(([name, run]) => [name, new Variadic(`the function '${name}'`, run)]),
);
