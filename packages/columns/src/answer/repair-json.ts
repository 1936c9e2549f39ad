import { jsonrepair } from 'jsonrepair';
import { type CellValue } from '@data-designer/core';
import { escapeBackslashes } from './escape-backslashes.ts';
import { isConserved, isInWords } from './is-conserved.ts';
import { MAX_DEPTH } from './json-spans.ts';
import { parseAnswerJson } from './parse-answer-json.ts';

/** Longer text is not repaired. */
const MAX_REPAIRED = 100_000;
/**
 * A repair takes time that grows with the length and the number of misplaced quotes, less than 100 ms for this product. One of
 * 50,000 characters may have 1,000 of them.
 */
const MAX_WORK = 50_000_000;
/** Strings in double quotes; the last one may lack its end. */
const STRINGS = /"(?:[^"\\]|\\.)*(?:"|$)/gs;
/** Other kinds of quotes, each of which may end a string that begins with one of the same kind. */
const OTHER_QUOTES = ["'`´‘’", '“”„'];
/** What takes as long as a misplaced quote: a call, a regular expression, and a bracket, a line, a number or a constant without a comma behind it. */
const SLOW =
  /\w\(|\/(?![/*])|[}\]]\s*(?=[\w{[])|[^\s,:{}[\]][^\S\n]*\n(?=\s*[^\s,:{}[\]])|(?<![\w.+-])(?:[-+]?[\d.][\d.e+-]*|true|false|null|none|nan)\s+(?=[^\s,:}\]])/gi;
const BRACKETS = /[{}[\]:]/g;

/** JSON whose quotes are escaped, as within a string. */
const IS_ESCAPED = /^[[{](?:\s|\\[nrt])*\\"/;
/** Names of properties, in which a model may have escaped underscores, as Markdown does. */
const NAMES = /"[^"\n]*"\s*:/g;
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
  const outside = text.replaceAll(STRINGS, '');
  let misplaced = (outside.match(SLOW)?.length ?? 0) + colonsInLists(outside) + openComments(outside);
  const others = OTHER_QUOTES.filter((quotes) => new RegExp(`[${quotes}]`).test(outside));
  for (const { 0: quote, index } of text.matchAll(new RegExp(String.raw`\\.|["${others.join('')}]`, 'gsu'))) {
    if (quote.length === 1 && isInWords(text, index)) misplaced++;
  }
  return misplaced * text.length > MAX_WORK;
}

/** How many colons stand in lists, outside of their objects; infinitely many where brackets stand too deep for a value. */
function colonsInLists(outside: string): number {
  const open: string[] = [];
  let colons = 0;
  for (const [mark] of outside.matchAll(BRACKETS)) {
    if (open.length > MAX_DEPTH) return Infinity;
    if (mark === '{' || mark === '[') open.push(mark);
    else if (mark !== ':') open.pop();
    else if (open.at(-1) === '[') colons++;
  }
  return colons;
}

function openComments(outside: string): number {
  return outside.slice(outside.lastIndexOf('*/') + 1).split('/*').length - 1;
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
