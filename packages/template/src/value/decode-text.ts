import { type CellValue, Float, parseJson } from '@data-designer/core';
import { float } from './number.ts';

/** Codes of the characters that JSON text can begin with. */
const MAY_BEGIN_JSON = new Set(Array.from(' \t\n\r"-0123456789[{tfnN', (character) => character.charCodeAt(0)));
const NUMBER = /^-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const LITERALS: ReadonlyMap<string, CellValue> = new Map<string, CellValue>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['NaN', NaN],
]);
const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']', '"': '"' };

/** Python rejects longer integers. */
const MAX_DIGITS = 4300;

/** Whether the first character of a text can begin JSON. */
export function mayBeJson(text: string): boolean {
  return MAY_BEGIN_JSON.has(text.charCodeAt(0));
}

/**
 * Decodes a cell's text for templates: the value of JSON text, else the text itself. Unlike the Python tool, keeps text
 * that would become an infinity, such as `12e45678`.
 */
export function decodeText(text: string): CellValue {
  if (!mayBeJson(text)) return text;
  const trimmed = isSpaceAt(text, 0) || isSpaceAt(text, text.length - 1) ? trimJson(text) : text;
  const closing = CLOSING[trimmed[0] ?? ''];
  if (closing !== undefined) {
    const document = trimmed.endsWith(closing) ? parsePythonJson(trimmed) : undefined;
    return document === undefined ? text : document;
  }
  const literal = LITERALS.get(trimmed);
  return literal === undefined ? (decodeNumber(trimmed) ?? text) : literal;
}

/** Whether a cell holds a list; unlike `Array.isArray`, it narrows read-only arrays. */
export function isCellList(value: CellValue): value is readonly CellValue[] {
  return Array.isArray(value);
}

function trimJson(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpaceAt(text, from)) from += 1;
  while (to > from && isSpaceAt(text, to - 1)) to -= 1;
  return text.slice(from, to);
}

/** Whether JSON allows the character between values. */
function isSpaceAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function decodeNumber(text: string): CellValue | undefined {
  const match = NUMBER.exec(text);
  if (match === null) return undefined;
  if (match[1] === undefined && match[2] === undefined) {
    const value = Number(text);
    if (Number.isSafeInteger(value)) return value + 0;
    return text.length <= MAX_DIGITS ? BigInt(text) : undefined;
  }
  const value = Number(text);
  return Number.isFinite(value) ? float(value) : undefined;
}

/** Parses JSON as Python does, with `NaN` and the infinities; undefined if the text is no JSON. */
export function parsePythonJson(json: string): CellValue | undefined {
  try {
    return parseJson(json);
  } catch {
    return /NaN|Infinity/.test(json) ? parseWithInfinities(json) : undefined;
  }
}

/** Quotes `NaN` and the infinities as marked strings to parse the rest. */
function parseWithInfinities(json: string): CellValue | undefined {
  const mark = '\uE000number\uE000';
  if (json.includes(mark)) return undefined;
  const marked = json.replace(/"[^"\\]*(?:\\[^][^"\\]*)*"|-?Infinity|NaN/g, (all) =>
    all.startsWith('"') ? all : `"${mark}${all}"`,
  );
  try {
    return unmarked(parseJson(marked), mark);
  } catch {
    return undefined;
  }
}

function unmarked(value: CellValue, mark: string): CellValue {
  if (typeof value === 'string') return value.startsWith(mark) ? Number(value.slice(mark.length)) : value;
  if (typeof value !== 'object' || value === null || value instanceof Float) return value;
  if (isCellList(value)) return value.map((part) => unmarked(part, mark));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, unmarked(part, mark)]));
}
