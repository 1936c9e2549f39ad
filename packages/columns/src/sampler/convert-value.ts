import { type ArrowType, type CellValue, DataDesignerError, printFloat, stringifyJson } from '@data-designer/core';
import { INT64_BOUND, readFloat } from '../expression/cast.ts';

/**
 * Returns the conversion from the drawn type to the column's type: text to floats as Python reads them, floats to integers
 * by rounding half to even, any value to the text that Python prints. Undefined if the types are equal. A value that
 * cannot be converted throws `column/not-converted`, without row numbers.
 */
export function conversion(
  from: ArrowType,
  to: ArrowType,
  column: string,
): ((value: CellValue) => CellValue) | undefined {
  if (from === to || typeof to !== 'string') return undefined;
  const refuse = (value: CellValue) => {
    const text = typeof value === 'string' ? `'${value}'` : printValue(value);
    return new DataDesignerError('column/not-converted', { column, value: text, type: to, rows: [], more: 0 });
  };
  if (to === 'utf8') return (value) => (from === 'float64' ? printFloat(Number(value)) : printValue(value));
  if (to === 'float64') {
    return (value) => {
      const number = typeof value === 'string' ? readFloat(value) : Number(value);
      if (number === undefined) throw refuse(value);
      return number;
    };
  }
  return (value) => {
    const integer = roundHalfEven(Number(value));
    if (!(Math.abs(integer) < INT64_BOUND)) throw refuse(value);
    return Number.isSafeInteger(integer) ? integer + 0 : BigInt(integer);
  };
}

/** A value as text: what `String` gives of numbers and text, JSON of anything else. */
export function printValue(value: CellValue): string {
  return typeof value === 'object' ? stringifyJson(value) : String(value);
}

/** The nearest integer, of two equally near the even one, as numpy and Python round. */
function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const above = value - floor;
  if (above !== 0.5) return above < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

/**
 * Rounds to digits after the point, or to tens and hundreds where `places` is negative: scaled, rounded half to even and
 * scaled back, as `numpy.round` does. What the scale would make infinite stays as it is.
 */
export function roundedTo(places: number): (value: number) => number {
  const scale = 10 ** Math.abs(places);
  if (!Number.isFinite(scale)) return (value) => value;
  return (value) => {
    const scaled = places >= 0 ? value * scale : value / scale;
    if (!Number.isFinite(scaled)) return value;
    const rounded = roundHalfEven(scaled);
    return places >= 0 ? rounded / scale : rounded * scale;
  };
}
