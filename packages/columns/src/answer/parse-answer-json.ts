import { type CellValue, Float, ParseFailure, parseJson } from '@data-designer/core';

const COLON_NEXT = /\s*:/y;

/**
 * Parses JSON text without loss. Throws a `SyntaxError` for text that is no JSON, and a `ParseFailure` for a property that
 * an object names twice, since a parser keeps one of them, and for a number that a float cannot hold.
 */
export function parseAnswerJson(text: string): CellValue {
  const value = parseJson(text);
  if (writtenMembers(text) !== countMembers(value)) {
    throw new ParseFailure('The JSON names a property of an object twice. Answer again with each property once.');
  }
  return value;
}

/** The number of property names in valid JSON text. */
function writtenMembers(text: string): number {
  let members = 0;
  for (let start = text.indexOf('"'); start >= 0;) {
    let end = text.indexOf('"', start + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    COLON_NEXT.lastIndex = end + 1;
    if (COLON_NEXT.test(text)) members++;
    start = text.indexOf('"', end + 1);
  }
  return members;
}

function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text[start - 1] === '\\') start--;
  return (at - start) % 2 === 1;
}

function countMembers(value: CellValue): number {
  if (value === Infinity || value === -Infinity) {
    throw new ParseFailure('The JSON holds a number that is too large. Answer again with numbers below 1e308.');
  }
  if (typeof value !== 'object' || value === null || value instanceof Float) return 0;
  const parts: readonly CellValue[] = Array.isArray(value) ? value : Object.values(value);
  let members = Array.isArray(value) ? 0 : parts.length;
  for (const part of parts) members += countMembers(part);
  return members;
}
