import { ParseFailure } from '@data-designer/core';

/** Deeper nesting comes from a model that repeats itself. */
export const MAX_DEPTH = 100;
/** More parts come from such a model, too. */
const MAX_SPANS = 1000;
/** The message for an answer that leaves open which value is meant. */
export const SEVERAL = 'The answer holds several JSON values. Answer again with only one, in one ```json block.';

/** A bracketed part of a text, which may be invalid JSON. */
export interface JsonSpan {
  readonly span: string;
  /** Whether its brackets do not match. The span then goes to the end of the text. */
  readonly isCut: boolean;
}

/** How JSON begins, in contrast to brackets in prose. */
const BEGINS =
  /^(?:[[{](?:\s|\\[nrt])*\\"|\{\s*(?:["'`“‘}]|\/[/*]|[\w$-]+\s*:)|\[\s*(?:["'`“‘[{\]]|\/[/*]|(?:-?\d[\d.eE+-]*|true|false|null|True|False|None)\s*(?:[,\]]|$)))/;
/** A half-open interval. */
const INTERVAL = /^\[\s*-?[\d.]+\s*,\s*-?[\d.∞]+\s*\)/;
/** The characters behind a bracket that decide. */
const LONGEST_HEAD = 200;
const OPENINGS = /[[{]/g;
const MARKS = /["\\[\]{}]/g;

/**
 * Finds the outermost bracketed parts of a text, ignoring brackets in strings. A bracket that does not begin JSON, such as
 * one of prose that is never closed, hides nothing behind it. Throws a `ParseFailure` for nesting that is too deep and for more
 * than 1,000 parts.
 */
export function jsonSpansIn(text: string): readonly JsonSpan[] {
  const spans: JsonSpan[] = [];
  for (let start = opening(text, 0); start >= 0;) {
    const head = text.slice(start, start + LONGEST_HEAD);
    if (!BEGINS.test(head) || INTERVAL.test(head)) {
      start = opening(text, start + 1);
      continue;
    }
    if (spans.length === MAX_SPANS) throw new ParseFailure(SEVERAL);
    const end = closing(text, start);
    const isCut = end < 0;
    spans.push({ span: text.slice(start, isCut ? undefined : end), isCut });
    if (isCut) return spans;
    start = opening(text, end);
  }
  return spans;
}

function opening(text: string, from: number): number {
  OPENINGS.lastIndex = from;
  return OPENINGS.exec(text)?.index ?? -1;
}

function closing(text: string, start: number): number {
  MARKS.lastIndex = start;
  let depth = 0;
  let isText = false;
  for (let found = MARKS.exec(text); found; found = MARKS.exec(text)) {
    const mark = found[0];
    if (mark === '\\') MARKS.lastIndex++;
    else if (mark === '"') isText = !isText;
    else if (isText) continue;
    else if (mark === '{' || mark === '[') refuseDeep(++depth);
    else if (--depth === 0) return MARKS.lastIndex;
  }
  return -1;
}

function refuseDeep(depth: number): void {
  if (depth > MAX_DEPTH) throw new ParseFailure(`The JSON is nested more than ${MAX_DEPTH} levels deep.`);
}
