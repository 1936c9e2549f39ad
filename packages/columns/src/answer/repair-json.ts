import { jsonrepair } from 'jsonrepair';
import { type CellValue } from '@data-designer/core';
import { escapeBackslashes } from './escape-backslashes.ts';
import { isConserved, isInWords } from './is-conserved.ts';
import { parseAnswerJson } from './parse-answer-json.ts';

/** Longer text is not repaired. */
const MAX_REPAIRED = 100_000;
/**
 * A repair takes time that grows with the length and the number of misplaced quotes, less than 100 ms for this product. One of
 * 50,000 characters may have 1,000 of them.
 */
const MAX_WORK = 50_000_000;
const QUOTES = /\\.|"/gs;
const ANY_QUOTES = /\\.|["']/gs;
/** Strings in single quotes. */
const HAS_SINGLE = /[[{,:]\s{0,9}'/;

/** JSON whose quotes are escaped, as within a string. */
const IS_ESCAPED = /^[[{](?:\s|\\[nrt])*\\"/;
/** Names of properties in which a model escaped underscores, as Markdown does. */
const NAMES = /"[^"\n]*\\_[^"\n]*"\s*:/g;
/** An apostrophe within a word. */
const APOSTROPHES = /(?<=\p{L})'(?=\p{L})/gu;

/** Repairs small mistakes in JSON; undefined if that would delete, add or change content. */
export function repairJson(text: string): CellValue | undefined {
  if (text.length > MAX_REPAIRED) return undefined;
  if (IS_ESCAPED.test(text)) return attempt(() => parseAnswerJson(unescaped(text)));
  const named = text.replaceAll(NAMES, (name) => name.replaceAll('\\_', '_'));
  const escaped = escapeBackslashes(named);
  const value = attempt(() => parseAnswerJson(escaped));
  if (value !== undefined || isHardWork(escaped)) return value;
  return attempt(() => repaired(escaped)) ?? attempt(() => repaired(escaped.replaceAll(APOSTROPHES, "\\'")));
}

/** Whether so many quotes are misplaced that the text is no JSON with small mistakes. */
function isHardWork(text: string): boolean {
  let misplaced = 0;
  for (const { 0: quote, index } of text.matchAll(HAS_SINGLE.test(text) ? ANY_QUOTES : QUOTES)) {
    if (quote.length === 1 && isInWords(text, index)) misplaced++;
  }
  return misplaced * text.length > MAX_WORK;
}

/** The text of which another is the inside of a JSON string. */
function unescaped(text: string): string {
  return String(JSON.parse(`"${text.replaceAll(/\r?\n/g, '\\n')}"`));
}

function repaired(text: string): CellValue | undefined {
  const json = jsonrepair(text);
  return isConserved(text, json) ? parseAnswerJson(json) : undefined;
}

function attempt(read: () => CellValue | undefined): CellValue | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
