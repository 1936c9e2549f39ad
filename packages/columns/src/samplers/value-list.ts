import { z } from 'zod';
import { type ArrowScalar, type FieldPath, type Finding, printFloat } from '@data-designer/core';
import { exactNumbers } from '@data-designer/config';
import { runFinding } from '../run-finding.ts';

/** A listed value: text or a number; integers and floats are distinct. */
export const listedValue = z.union([z.string(), ...exactNumbers]);

/** One value of a list to draw from. */
export type ListedValue = z.output<typeof listedValue>;

/** Whether a parsed value can be listed. */
export function isListedValue(value: unknown): value is ListedValue {
  return ['string', 'number', 'bigint'].includes(typeof value);
}

/** The type of values drawn from a list: all integers stay integers, one float makes floats, any text makes all text. */
export function listType(values: Iterable<ListedValue>): ArrowScalar {
  let type: ArrowScalar = 'int64';
  for (const value of values) {
    if (typeof value === 'string') return 'utf8';
    if (typeof value !== 'bigint' && !Number.isInteger(value)) type = 'float64';
  }
  return type;
}

/** The values of a list in the column's type; numbers as text keep the format of the list's own type. */
export function listAs(type: ArrowScalar, values: readonly ListedValue[]): readonly ListedValue[] {
  if (type === 'float64') return values.map(Number);
  if (type !== 'utf8') return values;
  return listType(values) === 'float64' ? values.map((value) => printFloat(Number(value))) : values.map(pythonText);
}

/** The text that Python's `str` gives. */
function pythonText(value: ListedValue): string {
  return typeof value === 'number' && !Number.isInteger(value) ? printFloat(value) : String(value);
}

/**
 * Finds listed numbers that are not finite, since plans and files cannot represent them, and warns of integers that are
 * rounded in a column of floats.
 */
export function checkListed(type: ArrowScalar, values: readonly ListedValue[], field: FieldPath): readonly Finding[] {
  return values.flatMap((value, index) => {
    const at = [...field, index];
    if (typeof value === 'bigint' && type === 'float64' && BigInt(Number(value)) !== value) {
      const message = `${value} is drawn as ${BigInt(Number(value))}, because another value of the list is a float.`;
      const remedy = 'Put quotes around it, so that the column is text.';
      return [runFinding(at, { message, remedy, type: 'rounded_value', level: 'WARNING' })];
    }
    if (typeof value !== 'number' || Number.isFinite(value)) return [];
    const message = `the value must be a finite number, but is ${printFloat(value)}.`;
    return [runFinding(at, { message, remedy: "Use another number, or text such as 'inf'." })];
  });
}
