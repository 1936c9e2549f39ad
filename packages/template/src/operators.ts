import type { BinaryOperator } from './syntax/tree.ts';
import { calculate, negate } from './value/arithmetic.ts';
import { sequenceItems, Tuple } from './value/collections.ts';
import { typeFault } from './fault.ts';
import { textOf, typeName } from './value/inspect.ts';
import { escapeHtml, markedLike, Markup } from './value/markup.ts';
import type { Meter } from './value/meter.ts';
import { index, numeric } from './value/number.ts';
import { str } from './value/print.ts';
import { formatPercent } from './format/percent-format.ts';
import { Undefined } from './value/undefined.ts';
import { isList, type Value } from './value/value.ts';

type Operation = (a: Value, b: Value, meter: Meter) => Value;

/** The arithmetic operators by their signs; the most common operands come first. */
export const OPERATIONS: { readonly [Sign in BinaryOperator]: Operation } = {
  '+': (a, b, meter) => {
    if (typeof a === 'number' && typeof b === 'number') return calculate('+', [a, b], meter);
    return joined(a, b, meter) ?? arithmetic('+', [a, b], meter);
  },
  '-': (a, b, meter) => arithmetic('-', [a, b], meter),
  '*': (a, b, meter) => {
    if (typeof a === 'number' && typeof b === 'number') return calculate('*', [a, b], meter);
    return repeated(a, b, meter) ?? repeated(b, a, meter) ?? arithmetic('*', [a, b], meter);
  },
  '/': (a, b, meter) => arithmetic('/', [a, b], meter),
  '//': (a, b, meter) => arithmetic('//', [a, b], meter),
  '%': (a, b, meter) =>
    typeof a === 'string' || a instanceof Markup ? formatPercent(a, b, meter) : arithmetic('%', [a, b], meter),
  '**': (a, b, meter) => arithmetic('**', [a, b], meter),
};

function arithmetic(operator: BinaryOperator, values: readonly [Value, Value], meter: Meter): Value {
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
  if (isList(a) && isList(b)) {
    meter.chargeItems(a.length + b.length);
    return [...a, ...b];
  }
  if (!(a instanceof Tuple && b instanceof Tuple)) return undefined;
  meter.chargeItems(a.values.length + b.values.length);
  return new Tuple([...a.values, ...b.values]);
}

/** Joins two texts; if one is HTML, escapes the other. */
function joinTexts(a: Value, b: Value, meter: Meter): Value {
  const html = a instanceof Markup || b instanceof Markup;
  const write = html ? htmlOf : str;
  const [left, right] = [write(a, meter), write(b, meter)];
  meter.chargeText(left.length + right.length);
  return html ? new Markup(left + right) : left + right;
}

/** Prints a value as HTML: escapes it unless it is HTML already. */
export function htmlOf(value: Value, meter: Meter): string {
  if (value instanceof Markup) return value.text;
  const text = str(value, meter);
  meter.charge(2 + text.length);
  return escapeHtml(text);
}

function repeated(a: Value, b: Value, meter: Meter): Value | undefined {
  const sequence = textOf(a) ?? sequenceItems(a);
  if (sequence === undefined) return undefined;
  const count = index(b);
  if (count === undefined) {
    if (b instanceof Undefined) b.fail();
    return typeFault(`can't multiply sequence by non-int of type '${typeName(b)}'`);
  }
  if (!Number.isSafeInteger(count)) typeFault("cannot fit 'int' into an index-sized integer");
  const times = Math.max(0, count);
  const length = sequence.length * times;
  if (typeof sequence === 'string') {
    meter.chargeText(length);
    return markedLike(a, sequence.repeat(times));
  }
  meter.chargeItems(length);
  meter.charge(10 + length);
  const many = Array.from({ length }, (_, at) => sequence[at % sequence.length] ?? null);
  return a instanceof Tuple ? new Tuple(many) : many;
}

/** `-value` and `+value`. */
export function applySign(sign: '-' | '+', value: Value): Value {
  if (value instanceof Undefined) return value.fail();
  const number = numeric(value) ?? typeFault(`bad operand type for unary ${sign}: '${typeName(value)}'`);
  return sign === '-' ? negate(number) : number;
}
