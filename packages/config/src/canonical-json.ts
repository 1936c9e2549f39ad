import { compareText, Float, printFloat } from '@data-designer/core';
import { isMapping } from './spelling.ts';

/** The text that NeMo Data Designer hashes: keys by code points, no white space, ASCII only, floats with a point. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' || value instanceof Float) return numberText(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (isMapping(value)) return mappingText(value);
  return typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : 'null';
}

function mappingText(value: Readonly<Record<string, unknown>>): string {
  const keys = Object.keys(value).toSorted(compareText);
  return `{${keys.map((key) => `${quoted(key)}:${canonicalJson(value[key])}`).join(',')}}`;
}

function numberText(value: number | Float): string {
  if (value instanceof Float) return printFloat(value.value);
  if (Number.isInteger(value)) return String(value);
  if (Number.isFinite(value)) return printFloat(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
