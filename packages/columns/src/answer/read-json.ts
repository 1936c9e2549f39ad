import { type CellValue, hasLostBackslash, type NoteFlaw, ParseFailure } from '@data-designer/core';
import { readFences } from './fences.ts';
import { jsonSpansIn, MAX_DEPTH, SEVERAL } from './json-spans.ts';
import { parseAnswerJson } from './parse-answer-json.ts';
import { repairJson } from './repair-json.ts';

/** The start of a JSON value without brackets. */
const MAY_BE_VALUE = /^\s*["\d\-tfn]/;
const CUT = 'The JSON is cut off or lacks a closing bracket. Answer again with the whole JSON.';
const NOT_REPAIRED =
  'The answer is not valid JSON. Escape quotes and backslashes in strings, and answer again with valid JSON.';

/**
 * Reads the JSON of an answer: the whole answer, else the last `json` fence, else the only bare value, each repaired if
 * that keeps its whole content, which is noted. Throws a `ParseFailure` with a message for the model, also for JSON that is cut off.
 */
export function readJson(answer: string, note?: NoteFlaw): CellValue {
  const value = readWhole(answer) ?? readParts(answer, note);
  if (isDeep(value, MAX_DEPTH)) throw new ParseFailure(`The JSON is nested more than ${MAX_DEPTH} levels deep.`);
  if (note && hasLostBackslashIn(value)) note('lostBackslash');
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
  const [value, ...others] = valuesIn(body, note);
  if (value !== undefined && others.length === 0) return value;
  throw new ParseFailure('What stands in the ```json block is not JSON. Answer again with valid JSON in that block.');
}

function readBare(bodies: readonly string[], outside: string, note: NoteFlaw | undefined): CellValue {
  const values: CellValue[] = [];
  for (const body of bodies) {
    if (/^\s*[[{]/.test(body)) values.push(...valuesIn(body, note));
    else if (MAY_BE_VALUE.test(body)) values.push(...valueOf(body));
    if (values.length > 1) throw new ParseFailure(SEVERAL);
  }
  values.push(...valuesIn(outside, note));
  const [value, ...others] = values;
  if (others.length > 0) throw new ParseFailure(SEVERAL);
  if (value !== undefined) return value;
  throw new ParseFailure('There is no ```json block in the answer. Answer again with the JSON in one ```json block.');
}

/** The whole text as a value, else the objects and lists within it, repaired if they are invalid. */
function valuesIn(text: string, note: NoteFlaw | undefined): readonly CellValue[] {
  const whole = valueOf(text);
  if (whole.length > 0) return whole;
  const spans = jsonSpansIn(text.trim()).map((span) => ({
    ...span,
    valid: span.isCut ? undefined : valueOf(span.span)[0],
  }));
  const hasValid = spans.some(({ valid }) => valid !== undefined);
  // Several values are refused, so that the rest need not be repaired.
  const meant = spans.filter(({ span, valid }) => valid !== undefined || !hasValid || !isProse(span)).slice(0, 2);
  return meant.map(({ span, isCut, valid }) => {
    if (valid !== undefined) return valid;
    const repaired = repairJson(span);
    if (repaired === undefined) throw new ParseFailure(isCut ? CUT : NOT_REPAIRED);
    note?.('repaired');
    return repaired;
  });
}

/** Whether invalid JSON beside valid JSON is a word of the prose, such as `{name: …}`, or a set of Python. */
function isProse(span: string): boolean {
  return /^\{\s*(?:\w|'[^'"]*'\s*[,}])/.test(span);
}

function valueOf(text: string): readonly CellValue[] {
  try {
    return [parseAnswerJson(text)];
  } catch (thrown) {
    if (thrown instanceof ParseFailure) throw thrown;
    return [];
  }
}

/** Whether a string of a value has a control character where a backslash was meant. */
function hasLostBackslashIn(value: CellValue): boolean {
  if (typeof value === 'string') return hasLostBackslash(value);
  if (typeof value !== 'object' || value === null) return false;
  const parts: readonly CellValue[] = Object.values(value);
  return parts.some(hasLostBackslashIn);
}

function isDeep(value: CellValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const parts: readonly CellValue[] = Object.values(value);
  return parts.some((part) => isDeep(part, levels - 1));
}
