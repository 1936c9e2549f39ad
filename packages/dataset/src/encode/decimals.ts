import { asFloat64 } from './numbers.ts';

/** A decimal type. */
export interface DecimalType {
  readonly logical: 'decimal';
  readonly precision: number;
  readonly scale: number;
}

/** A number in units of the last digit; undefined for other values and for numbers with too many digits. */
export function decimalUnits(value: unknown, { precision, scale }: DecimalType): bigint | undefined {
  const number = asFloat64(value);
  if (number === undefined) return undefined;
  const units = Math.round(number * 10 ** scale);
  return Math.abs(units) < 10 ** precision ? BigInt(units) : undefined;
}

/** The number nearest to so many units of the last digit. */
export function decimalNumber(units: bigint, scale: number): number {
  return Number(`${units}e-${scale}`);
}
