import { type CellValue, Float } from '@data-designer/core';

/** An integral value of a float column as the float that it is. */
export function boxed(value: CellValue, isFloat: boolean): CellValue {
  return isFloat && Number.isInteger(value) ? new Float(value as number) : value;
}
