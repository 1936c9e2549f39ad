import { type CallArguments, Variadic } from '../value/callable.ts';
import { Dict, entriesOf, mapOf, Namespace, Range } from '../value/collections.ts';
import { limitFault, securityFault, typeFault } from '../fault.ts';
import { iterate, pairOf } from '../value/inspect.ts';
import { str } from '../value/print.ts';
import type { Meter } from '../value/meter.ts';
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
  const result = second === undefined ? new Range(0, first, 1) : new Range(first, second, step);
  if (result.length > MAX_RANGE) limitFault('items of a range', MAX_RANGE);
  return result;
}

function dict({ positional, keywords }: CallArguments, meter: Meter): Dict {
  if (positional.length > 1) typeFault('dict() takes at most one positional argument');
  const [source] = positional;
  const result = Dict.of(source === undefined ? [] : pairsOf(source, meter), meter);
  for (const [key, value] of keywords) result.set(key, value, meter);
  return result;
}

function pairsOf(source: Value, meter: Meter): Iterable<readonly [Value, Value]> {
  const map = mapOf(source);
  if (map !== undefined) return entriesOf(map, meter);
  return iterate(source, meter).map((pair) => {
    meter.charge(20);
    return pairOf(pair, 'dict()', meter);
  });
}

function namespace(given: CallArguments, meter: Meter): Value {
  const values = dict(given, meter);
  meter.charge(10 + 10 * values.size());
  return new Namespace(Array.from(values.entries(), ([key, value]) => [str(key, meter), value] as const));
}

/** The compiler refuses `lipsum()`; this one refuses a call under another name. */
const lipsum = (): Value => securityFault("the function 'lipsum'");

/** Returns its values in turn, endlessly. */
class Cycler extends TemplateObject {
  readonly typeName = 'Cycler';
  readonly #values: readonly Value[];
  #at = 0;

  constructor(values: readonly Value[]) {
    super();
    this.#values = values;
  }

  get #current(): Value {
    return this.#values[this.#at] ?? null;
  }

  print(): string {
    return '<Cycler>';
  }

  override member(name: string): Value | undefined {
    if (name === 'current') return this.#current;
    if (name === 'next') return new Variadic("the method 'next'", () => this.#next());
    return name === 'reset' ? new Variadic("the method 'reset'", () => this.#reset()) : undefined;
  }

  #next(): Value {
    const current = this.#current;
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

/** Returns nothing on the first call, then its separator. */
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

/** The global functions of every template. */
export const GLOBALS: ReadonlyMap<string, Value> = new Map(
  Object.entries(FUNCTIONS).map(([name, run]) => [name, new Variadic(`the function '${name}'`, run)]),
);
