import { Float } from '@data-designer/core';
import { type Builtin, builtin, Method, Variadic } from '../value/callable.ts';
import { mapOf, Range, Tuple } from '../value/collections.ts';
import { securityFault } from '../fault.ts';
import { textOf } from '../value/inspect.ts';
import { Markup } from '../value/markup.ts';
import type { Meter } from '../value/meter.ts';
import { comparable, type Numeric, numeric, plain, whole } from '../value/number.ts';
import { isList, type Value } from '../value/value.ts';
import { LIST_METHODS, MAP_METHODS, TUPLE_METHODS } from './collection-methods.ts';
import { STRING_METHODS } from './string-methods.ts';

/** Python's methods that change a list or a map; templates may not reach them. */
const HIDDEN: Readonly<Record<'list' | 'map', ReadonlySet<string>>> = {
  list: new Set(['append', 'clear', 'pop', 'reverse', 'insert', 'sort', 'extend', 'remove']),
  map: new Set(['clear', 'pop', 'popitem', 'setdefault', 'update']),
};

/** The result of looking up an attribute that exists in Python but that templates may not reach. */
export const HIDDEN_MEMBER = Symbol('hidden');

const DUNDER = new Set(
  (
    'class delattr dir doc eq format ge getattribute getstate gt hash init init_subclass le lt ne new reduce reduce_ex ' +
    'repr setattr sizeof str subclasshook class_getitem contains delitem getitem ior iter len or reversed ror setitem'
  )
    .split(' ')
    .map((name) => `__${name}__`),
);

/** Python's methods that this package does not support; calling one ends the render with its name. */
const UNSUPPORTED: Readonly<Record<'str' | 'map' | 'number', ReadonlySet<string>>> = {
  str: new Set(['encode']),
  map: new Set(['fromkeys']),
  number: new Set(['to_bytes', 'from_bytes', 'hex', 'fromhex', 'from_number']),
};

/** Whether a name such as `__class__` exists on Python values and is hidden from templates. */
export function isHiddenName(name: string): boolean {
  return DUNDER.has(name);
}

/** Values of each kind whose members do not depend on the value. */
const SAMPLES = { number: [1, new Float(0.5)], text: [''], list: [[]], map: [{}] } as const satisfies Record<
  string,
  readonly Value[]
>;

/** Whether values of a kind have an attribute of that name in Python, be it one that templates may not reach. */
export function hasAttribute(kind: keyof typeof SAMPLES, name: string): boolean {
  return SAMPLES[kind].some((sample) => findMethod(sample, name) !== undefined);
}

/** Finds a method by name; `HIDDEN_MEMBER` for one that templates may not reach. */
export function findMethod(value: Value, name: string): Value | typeof HIDDEN_MEMBER | undefined {
  if (DUNDER.has(name)) return HIDDEN_MEMBER;
  const text = textOf(value);
  if (text !== undefined) {
    const method = STRING_METHODS.get(name);
    if (method === undefined) return unsupported('str', name);
    return new Method(text, value instanceof Markup ? returningMarkup(method) : method);
  }
  if (isList(value)) return HIDDEN.list.has(name) ? HIDDEN_MEMBER : bound(value, LIST_METHODS.get(name));
  if (value instanceof Tuple) return bound(value.values, TUPLE_METHODS.get(name));
  const map = mapOf(value);
  if (map !== undefined) {
    return HIDDEN.map.has(name) ? HIDDEN_MEMBER : (bound(map, MAP_METHODS.get(name)) ?? unsupported('map', name));
  }
  return value instanceof Range ? rangeMember(value, name) : numberMember(value, name);
}

function bound<Self>(self: Self, method: Builtin<Self> | undefined): Value | undefined {
  return method === undefined ? undefined : new Method(self, method);
}

function unsupported(kind: keyof typeof UNSUPPORTED, name: string): Value | undefined {
  if (!UNSUPPORTED[kind].has(name)) return undefined;
  return new Variadic(`the method '${name}'`, () => securityFault(`the method '${name}'`));
}

/** Marks the texts that a method returns as HTML. */
function returningMarkup(method: Builtin<string>): Builtin<string> {
  return {
    ...method,
    call: (self, given, meter) => {
      const result = method.call(self, given, meter);
      if (result instanceof Tuple) return new Tuple(result.values.map(asMarkup));
      return isList(result) ? result.map(asMarkup) : asMarkup(result);
    },
  };
}

function asMarkup(value: Value): Value {
  return typeof value === 'string' ? new Markup(value) : value;
}

function rangeMember(value: Range, name: string): Value | undefined {
  if (name === 'start') return value.start;
  if (name === 'stop') return value.stop;
  if (name === 'step') return value.step;
  const method = TUPLE_METHODS.get(name);
  if (method === undefined) return undefined;
  return new Variadic(`the method '${name}'`, (given, meter) => method.call(value.items(meter), given, meter));
}

const NUMBER_METHODS: Readonly<Record<string, Builtin<Numeric>>> = {
  is_integer: builtin('is_integer()', (self) => Number.isInteger(plain(self))),
  conjugate: builtin('conjugate()', (self) => self),
};
const INTEGER_METHODS: Readonly<Record<string, Builtin<Numeric>>> = {
  bit_length: builtin('bit_length()', (self, _given, meter) => bitsOf(self, meter).length),
  bit_count: builtin('bit_count()', (self, _given, meter) => bitsOf(self, meter).replaceAll('0', '').length),
};

function bitsOf(value: Numeric, meter: Meter): string {
  if (typeof value === 'bigint') meter.charge(100);
  const exact = BigInt(comparable(value));
  return exact === 0n ? '' : (exact < 0n ? -exact : exact).toString(2);
}

function numberMember(value: Value, name: string): Value | undefined {
  const number = numeric(value);
  if (number === undefined) return undefined;
  const isWhole = whole(number) !== undefined;
  if (name === 'real') return number;
  if (name === 'imag') return isWhole ? 0 : new Float(0);
  if (isWhole && name === 'numerator') return number;
  if (isWhole && name === 'denominator') return 1;
  const table = isWhole && Object.hasOwn(INTEGER_METHODS, name) ? INTEGER_METHODS : NUMBER_METHODS;
  return bound<Numeric>(number, Object.hasOwn(table, name) ? table[name] : undefined) ?? unsupported('number', name);
}
