import { type CellValue, Float, ParseFailure } from '@data-designer/core';
import { asSchema, isSchema, type JsonSchema, typesOf } from '@data-designer/json-schema';

const PLACES = /\\d\{0,(\d+)\}/;

/**
 * The places of a decimal as pydantic writes it: `anyOf` a number, a string with the pattern `\d{0,places}`, and
 * perhaps null; undefined for any other schema.
 */
export function decimalPlaces({ anyOf }: JsonSchema): number | undefined {
  if (!Array.isArray(anyOf) || !anyOf.every(isSchema)) return undefined;
  const typed = anyOf.map((branch) => typesOf(asSchema(branch)).join());
  const isDecimal = typed.includes('number') && typed.every((type) => ['number', 'string', 'null'].includes(type));
  const patterns = anyOf.flatMap(({ pattern }) =>
    typeof pattern === 'string' ? (PLACES.exec(pattern)?.[1] ?? []) : [],
  );
  return isDecimal && patterns.length === 1 ? Number(patterns[0]) : undefined;
}

export function mayHoldDecimals(schema: JsonSchema): boolean {
  return JSON.stringify(schema).includes(String.raw`\\d{0,`);
}

/** Rounds a number, or text that holds one, half up by its decimal digits; other values stay. */
export function roundedToPlaces(value: CellValue, places: number): CellValue {
  if (typeof value !== 'number' && typeof value !== 'string') return value;
  const number = Number(value);
  if (!Number.isFinite(number)) throw new ParseFailure(`${JSON.stringify(value)} must be a number.`);
  const [digits = '', exponent = '0'] = String(Math.abs(number)).split('e');
  const shifted = Math.round(Number(`${digits}e${Number(exponent) + places}`));
  if (Number.isInteger(number) || !Number.isFinite(shifted)) return asFloat(number);
  return asFloat(Math.sign(number) * Number(`${BigInt(shifted)}e-${places}`));
}

function asFloat(number: number): CellValue {
  return Number.isInteger(number) ? new Float(number) : number;
}
