import { type CellValue, Float, ParseFailure } from '@data-designer/core';
import { ANNOTATIONS, asSchema, isSchema, type JsonSchema, typesOf } from '@data-designer/json-schema';

/** The pattern that pydantic writes for a decimal with at most so many places. */
const PLACES = /\\d\{0,(\d+)\}/;

/** The pattern that pydantic writes for a decimal without a limit of its places. */
const ANY_PLACES = String.raw`\d*\.?\d*`;

/** Text that is a number; it restricts decimals whose schema allows any text. */
export const NUMBER_TEXT = String.raw`^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$`;

/**
 * The places of a decimal as pydantic writes it, which is `anyOf` a number, text and perhaps null: those of the text's
 * pattern, else `Infinity`. Undefined for any other schema.
 */
export function decimalPlaces({ anyOf }: JsonSchema): number | undefined {
  if (!Array.isArray(anyOf) || !anyOf.every(isSchema)) return undefined;
  const typed = anyOf.map((branch) => typesOf(asSchema(branch)).join());
  if (!typed.includes('number') || !typed.every((type) => ['number', 'string', 'null'].includes(type)))
    return undefined;
  const texts = anyOf.filter((branch) => typesOf(asSchema(branch)).includes('string'));
  const patterns = texts.flatMap(({ pattern }) => (typeof pattern === 'string' ? pattern : []));
  const places = patterns.flatMap((pattern) => PLACES.exec(pattern)?.[1] ?? []);
  if (places.length === 1) return Number(places[0]);
  return texts.length === 1 && texts.every(isAnyDecimal) ? Infinity : undefined;
}

/** Whether the text of a union is that of a decimal: any text, or digits in any number. */
function isAnyDecimal({ type: _, pattern, ...rest }: JsonSchema): boolean {
  if (pattern !== undefined && !(typeof pattern === 'string' && pattern.includes(ANY_PLACES))) return false;
  return Object.keys(rest).every((key) => ANNOTATIONS.has(key));
}

/** Whether a schema may contain decimals, as a quick check. */
export function mayHoldDecimals(schema: JsonSchema): boolean {
  return JSON.stringify(schema).includes('"anyOf"');
}

/** Rounds a number, or text that holds one, half up by its decimal digits; other values stay. */
export function roundedToPlaces(value: CellValue, places: number): CellValue {
  if (typeof value !== 'number' && typeof value !== 'string') return value;
  if (places === Infinity) return Number(value);
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
