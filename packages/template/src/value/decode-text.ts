import { type CellValue, Float, parseJson } from '@data-designer/core';
import { float } from './number.ts';

/** Text that begins otherwise is no JSON; by character code. */
const MAY_BEGIN_JSON = new Set(Array.from(' \t\n\r"-0123456789[{tfnN', (character) => character.charCodeAt(0)));
const NUMBER = /^-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const LITERALS: ReadonlyMap<string, CellValue> = new Map<string, CellValue>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['NaN', NaN],
]);
const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']', '"': '"' };

/** Python reads no longer integers. */
const MAX_DIGITS = 4300;

/** Whether text begins as JSON may. */
export function mayBeJson(text: string): boolean {
  return MAY_BEGIN_JSON.has(text.charCodeAt(0));
}

/**
 * What a cell's text means to a template: the value it holds when it is JSON, else the text itself. Differs from the
 * Python tool in one case by intent: text that would become an infinity, such as `12e45678`, stays text.
 */
export function decodeText(text: string): CellValue {
  if (!mayBeJson(text)) return text;
  const trimmed = /[ \t\n\r]/.test(text[0] as string) || /[ \t\n\r]$/.test(text) ? trimJson(text) : text;
  const closing = CLOSING[trimmed[0] ?? ''];
  if (closing !== undefined) return trimmed.endsWith(closing) ? decodeDocument(trimmed, text) : text;
  const literal = LITERALS.get(trimmed);
  if (literal !== undefined) return literal;
  return decodeNumber(trimmed) ?? text;
}

function trimJson(text: string): string {
  let from = 0;
  let to = text.length;
  const isSpace = (at: number): boolean => ' \t\n\r'.includes(text[at] as string);
  while (from < to && isSpace(from)) from += 1;
  while (to > from && isSpace(to - 1)) to -= 1;
  return text.slice(from, to);
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

function decodeDocument(json: string, text: string): CellValue {
  const value = parsePythonJson(json);
  return value === undefined ? text : value;
}

/** The value of JSON text as Python reads it, with `NaN` and the infinities, or undefined where it is none. */
export function parsePythonJson(json: string): CellValue | undefined {
  try {
    return parseJson(json);
  } catch {
    return /NaN|Infinity/.test(json) ? parseWithInfinities(json) : undefined;
  }
}

/** `NaN` and the infinities are hidden behind a mark while the rest is read. */
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
  if (Array.isArray(value)) return (value as readonly CellValue[]).map((part) => unmarked(part, mark));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, unmarked(part, mark)]));
}
