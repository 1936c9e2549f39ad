import { type CellValue, Float, ParseFailure, parseJson } from '@data-designer/core';

/** The strings of JSON text, with the colon behind the name of a property. */
const STRING = /"(?:[^"\\]|\\.)*"(\s*:)?/gs;

/**
 * Parses JSON text without loss. Throws a `SyntaxError` for text that is no JSON, and a `ParseFailure` for a property that
 * an object names twice, since a parser keeps one of them, and for a number that a float cannot hold.
 */
export function parseAnswerJson(text: string): CellValue {
  const value = parseJson(text);
  let written = 0;
  for (const [, colon] of text.matchAll(STRING)) if (colon !== undefined) written++;
  if (written !== countMembers(value)) {
    throw new ParseFailure('The JSON names a property of an object twice. Answer again with each property once.');
  }
  return value;
}

function countMembers(value: CellValue): number {
  if (value === Infinity || value === -Infinity) {
    throw new ParseFailure('The JSON holds a number that is too large. Answer again with numbers below 1e308.');
  }
  if (typeof value !== 'object' || value === null || value instanceof Float) return 0;
  const parts: readonly CellValue[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : parts.length;
  return parts.reduce<number>((sum, part) => sum + countMembers(part), own);
}
