import { type Builtin, builtin, byName, Callable, NO_CALL_ARGUMENTS } from '../value/callable.ts';
import { mapOf, Range, Tuple } from '../value/collections.ts';
import { COMPARISONS } from '../value/compare.ts';
import { equal } from '../value/equal.ts';
import { typeFault } from '../fault.ts';
import { itemsOf, sizeOf, textOf } from '../value/inspect.ts';
import { Markup } from '../value/markup.ts';
import type { Meter } from '../value/meter.ts';
import { isFloat, numeric, whole } from '../value/number.ts';
import { OPERATIONS } from '../operators.ts';
import { str } from '../value/print.ts';
import { Undefined } from '../value/undefined.ts';
import { TemplateObject, type Value } from '../value/value.ts';
import { TEST_NAMES } from '../syntax/builtin-names.ts';
import { STRING_METHODS } from '../methods/string-methods.ts';

function remainder(value: Value, by: Value, meter: Meter): Value {
  if (textOf(value) !== undefined) typeFault('not all arguments converted during string formatting');
  return OPERATIONS['%'](value, by, meter);
}

/** A comparison under each of its names. */
const comparison = (names: string, holds: (a: Value, b: Value, meter: Meter) => boolean): Builtin<Value>[] =>
  names.split(' ').map((name) => builtin(`${name}(other)`, (self, [other = null], meter) => holds(self, other, meter)));

const test = (name: string, holds: (self: Value, meter: Meter) => boolean): Builtin<Value> =>
  builtin(`${name}()`, (self, _given, meter) => holds(self, meter));

/** Whether Python can count and index the value's items. */
function isSequence(value: Value, meter: Meter): boolean {
  if (!(value instanceof TemplateObject) || mapOf(value) !== undefined || textOf(value) !== undefined)
    return sizeOf(value, meter) !== undefined;
  return value instanceof Tuple || value instanceof Range || value instanceof Undefined;
}

/** Python's `is`: the same object, or the same small value. */
function sameAs(a: Value, b: Value): boolean {
  return a === b && typeof a !== 'bigint';
}

function isCase(self: Value, name: 'isupper' | 'islower', meter: Meter): boolean {
  meter.chargeScan(str(self, meter).length);
  return STRING_METHODS.get(name)?.call(str(self, meter), NO_CALL_ARGUMENTS, meter) === true;
}

const ALL: readonly Builtin<Value>[] = [
  test('defined', (self) => !(self instanceof Undefined)),
  test('undefined', (self) => self instanceof Undefined),
  test('none', (self) => self === null),
  test('boolean', (self) => typeof self === 'boolean'),
  test('true', (self) => self === true),
  test('false', (self) => self === false),
  test('integer', (self) => whole(self) !== undefined),
  test('float', (self) => isFloat(self)),
  test('number', (self) => numeric(self) !== undefined),
  test('string', (self) => textOf(self) !== undefined),
  test('mapping', (self) => mapOf(self) !== undefined),
  test('sequence', isSequence),
  test('iterable', (self, meter) => itemsOf(self, meter) !== undefined),
  test('callable', (self) => self instanceof Callable || self instanceof Undefined),
  test('escaped', (self) => self instanceof Markup),
  test('odd', (self, meter) => equal(remainder(self, 2, meter), 1, meter)),
  test('even', (self, meter) => equal(remainder(self, 2, meter), 0, meter)),
  test('lower', (self, meter) => isCase(self, 'islower', meter)),
  test('upper', (self, meter) => isCase(self, 'isupper', meter)),
  test('filter', (self, meter) => meter.dialect.filters.has(textOf(self) ?? '')),
  test('test', (self) => TEST_NAMES.has(textOf(self) ?? '')),
  builtin('divisibleby(num)', (self, [by = null], meter) => equal(remainder(self, by, meter), 0, meter)),
  builtin('sameas(other)', (self, [other = null]) => sameAs(self, other)),
  builtin('in(seq)', (self, [seq = null], meter) => COMPARISONS.in(self, seq, meter)),
  ...comparison('eq equalto ==', equal),
  ...comparison('ne !=', COMPARISONS['!=']),
  ...comparison('gt greaterthan >', COMPARISONS['>']),
  ...comparison('ge >=', COMPARISONS['>=']),
  ...comparison('lt lessthan <', COMPARISONS['<']),
  ...comparison('le <=', COMPARISONS['<=']),
];

/** The tests for `is`, by name. */
export const TESTS = byName(ALL);
