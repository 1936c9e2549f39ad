import { jsonrepair } from 'jsonrepair';
import { type CellValue, type NoteFlaw, ParseFailure, parseJson } from '@data-designer/core';
import { readFences } from './fences.ts';

/** Deeper nesting comes from a model that repeats itself. */
const MAX_DEPTH = 100;
/** Longer text is not repaired: that takes time that grows with the square of the length, 6 s for 200,000 characters. */
const MAX_REPAIRED = 100_000;

/**
 * Reads the JSON of an answer: the whole answer, else the last `json` fence, else the only bare value, else a repaired
 * one of these, which is noted. Throws a `ParseFailure` with a message for the model.
 */
export function readJson(answer: string, note?: NoteFlaw): CellValue {
  const value = readWhole(answer) ?? readParts(answer, note);
  if (isDeep(value, MAX_DEPTH)) throw new ParseFailure(`The JSON is nested more than ${MAX_DEPTH} levels deep.`);
  return value;
}

/** The whole answer as JSON, as endpoints with enforced JSON send it; undefined for anything else. */
function readWhole(answer: string): CellValue | undefined {
  const first = answer[0];
  return first === '{' || first === '[' ? valueOf(answer)[0] : undefined;
}

function readParts(answer: string, note: NoteFlaw | undefined): CellValue {
  const { fences, outside } = readFences(answer);
  const labelled = fences.findLast(({ label }) => label.toLowerCase() === 'json');
  if (labelled) return readLabelled(labelled.body, note);
  return readBare(
    fences.map(({ body }) => body),
    outside,
    note,
  );
}

function readLabelled(body: string, note: NoteFlaw | undefined): CellValue {
  const [value, ...others] = valuesIn(body);
  if (value !== undefined && others.length === 0) return value;
  const repaired = repair(body, note);
  if (repaired !== undefined) return repaired;
  throw new ParseFailure('What stands in the ```json block is not JSON. Answer again with valid JSON in that block.');
}

function readBare(bodies: readonly string[], outside: string, note: NoteFlaw | undefined): CellValue {
  const values = [...bodies.flatMap(valueOf), ...valuesIn(outside)];
  if (values.length > 1) {
    throw new ParseFailure('The answer holds several JSON values. Answer again with only one, in one ```json block.');
  }
  const [value] = values;
  if (value !== undefined) return value;
  const [broken, ...others] = [...bodies, outside].filter((text) => /^\s*[[{]/.test(text));
  const repaired = broken === undefined || others.length > 0 ? undefined : repair(broken, note);
  if (repaired !== undefined) return repaired;
  throw new ParseFailure('There is no ```json block in the answer. Answer again with the JSON in one ```json block.');
}

/** The whole text as a value, else the objects and lists within it. */
function valuesIn(text: string): readonly CellValue[] {
  const whole = valueOf(text);
  if (whole.length > 0) return whole;
  const trimmed = text.trim();
  return spansIn(trimmed).flatMap((span) => (span === trimmed ? [] : valueOf(span)));
}

function valueOf(text: string): readonly CellValue[] {
  try {
    return [parseJson(text)];
  } catch {
    return [];
  }
}

function repair(text: string, note: NoteFlaw | undefined): CellValue | undefined {
  if (text.length > MAX_REPAIRED) return undefined;
  try {
    const value = parseJson(jsonrepair(text));
    note?.('repaired');
    return value;
  } catch {
    return undefined;
  }
}

/** The outermost bracketed parts of a text, ignoring brackets in strings; stops at an unclosed one. */
function spansIn(text: string): readonly string[] {
  const spans: string[] = [];
  for (let start = opening(text, 0); start >= 0;) {
    const end = closing(text, start);
    if (end < 0) break;
    spans.push(text.slice(start, end));
    start = opening(text, end);
  }
  return spans;
}

function opening(text: string, from: number): number {
  const found = text.slice(from).search(/[[{]/);
  return found < 0 ? found : from + found;
}

const MARKS = /["\\[\]{}]/g;

function closing(text: string, start: number): number {
  MARKS.lastIndex = start;
  let depth = 0;
  let isText = false;
  for (let found = MARKS.exec(text); found; found = MARKS.exec(text)) {
    const mark = found[0];
    if (mark === '\\') MARKS.lastIndex++;
    else if (mark === '"') isText = !isText;
    else if (isText) continue;
    else if (mark === '{' || mark === '[') depth++;
    else if (--depth === 0) return MARKS.lastIndex;
  }
  return -1;
}

function isDeep(value: CellValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const parts: readonly CellValue[] = Object.values(value);
  return parts.some((part) => isDeep(part, levels - 1));
}
