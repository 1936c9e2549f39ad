import { type ArithmeticOperator, calculate, negate } from './arithmetic.ts';
import { Tuple } from './collections.ts';
import { typeFault } from './fault.ts';
import { textOf } from './iterate.ts';
import { escapeHtml, Markup } from './markup.ts';
import type { Meter } from './meter.ts';
import { index, numeric } from './number.ts';
import { str } from './print.ts';
import { formatPercent } from '../format/percent.ts';
import { typeName } from './type-name.ts';
import { Undefined } from './undefined.ts';
import type { Value } from './value.ts';

/** An operator between two values, for one kind of left or right side. */
type Operation = (a: Value, b: Value, meter: Meter) => Value;

/** The operators by their signs. */
export const OPERATIONS: { readonly [Sign in ArithmeticOperator]: Operation } = {
  '+': (a, b, meter) => {
    // The commonest cases first.
    if (typeof a === 'number' && typeof b === 'number') return calculate('+', [a, b], meter);
    return joined(a, b, meter) ?? arithmetic('+', [a, b], meter);
  },
  '-': (a, b, meter) => arithmetic('-', [a, b], meter),
  '*': (a, b, meter) => repeated(a, b, meter) ?? repeated(b, a, meter) ?? arithmetic('*', [a, b], meter),
  '/': (a, b, meter) => arithmetic('/', [a, b], meter),
  '//': (a, b, meter) => arithmetic('//', [a, b], meter),
  '%': (a, b, meter) => formatted(a, b, meter) ?? arithmetic('%', [a, b], meter),
  '**': (a, b, meter) => arithmetic('**', [a, b], meter),
};

function arithmetic(operator: ArithmeticOperator, values: readonly [Value, Value], meter: Meter): Value {
  const [a, b] = values;
  if (a instanceof Undefined) return a.fail();
  if (b instanceof Undefined) return b.fail();
  const x = numeric(a);
  const y = numeric(b);
  if (x !== undefined && y !== undefined) return calculate(operator, [x, y], meter);
  return typeFault(`unsupported operand type(s) for ${operator}: '${typeName(a)}' and '${typeName(b)}'`);
}

function joined(a: Value, b: Value, meter: Meter): Value | undefined {
  const left = textOf(a);
  const right = textOf(b);
  if (left !== undefined && right !== undefined) return joinTexts(a, b, meter);
  if (Array.isArray(a) && Array.isArray(b)) {
    meter.chargeItems(a.length + b.length);
    return [...(a as readonly Value[]), ...(b as readonly Value[])];
  }
  if (!(a instanceof Tuple && b instanceof Tuple)) return undefined;
  meter.chargeItems(a.values.length + b.values.length);
  return new Tuple([...a.values, ...b.values]);
}

/** Joins two texts; where one is HTML the other is escaped. */
function joinTexts(a: Value, b: Value, meter: Meter): Value {
  const html = a instanceof Markup || b instanceof Markup;
  const [left, right] = [a, b].map((side) => (html ? htmlOf(side, meter) : str(side, meter))) as [string, string];
  meter.chargeText(left.length + right.length);
  return html ? new Markup(left + right) : left + right;
}

/** A value as HTML: escaped unless it is HTML already. */
export function htmlOf(value: Value, meter: Meter): string {
  if (value instanceof Markup) return value.text;
  const text = str(value, meter);
  meter.charge(2 + text.length);
  return escapeHtml(text);
}

function repeated(a: Value, b: Value, meter: Meter): Value | undefined {
  const text = textOf(a);
  const list = Array.isArray(a) ? (a as readonly Value[]) : a instanceof Tuple ? a.values : undefined;
  if (text === undefined && list === undefined) return undefined;
  const count = index(b);
  if (count === undefined) {
    if (b instanceof Undefined) b.fail();
    return typeFault(`can't multiply sequence by non-int of type '${typeName(b)}'`);
  }
  if (!Number.isSafeInteger(count)) typeFault("cannot fit 'int' into an index-sized integer");
  const times = Math.max(0, count);
  if (text !== undefined) {
    meter.chargeText(text.length * times);
    return a instanceof Markup ? new Markup(text.repeat(times)) : text.repeat(times);
  }
  const items = list as readonly Value[];
  meter.chargeItems(items.length * times);
  meter.charge(10 + items.length * times);
  const many = Array.from({ length: items.length * times }, (_, at) => items[at % items.length] as Value);
  return a instanceof Tuple ? new Tuple(many) : many;
}

function formatted(a: Value, b: Value, meter: Meter): Value | undefined {
  const text = textOf(a);
  if (text === undefined) return undefined;
  return formatPercent(text, b, meter);
}

/** `-value` and `+value`. */
export function signed(sign: '-' | '+', value: Value): Value {
  if (value instanceof Undefined) return value.fail();
  const number = numeric(value) ?? typeFault(`bad operand type for unary ${sign}: '${typeName(value)}'`);
  return sign === '-' ? negate(number) : number;
}
