import { type ArrowType, type CellValue, DataDesignerError, printFloat } from '@data-designer/core';
import { INT64_BOUND, readFloat } from '../expression/cast.ts';
import { printValue } from './print-value.ts';
import { roundHalfEven } from './round-half-even.ts';

/**
 * Returns the conversion from the drawn type to the column's type: text to floats as Python reads them, floats to integers
 * by rounding half to even, any value to the text that Python prints. Undefined if the types are equal. A value that
 * cannot be converted throws `column/not-converted`, without row numbers.
 */
export function converted(
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
