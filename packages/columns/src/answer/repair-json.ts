import { jsonrepair } from 'jsonrepair';
import { type CellValue } from '@data-designer/core';
import { escapeBackslashes } from './escape-backslashes.ts';
import { isConserved } from './is-conserved.ts';
import { parseAnswerJson } from './parse-answer-json.ts';

/** Longer text is not repaired: that takes time that grows with the square of the length, 6 s for 200,000 characters. */
const MAX_REPAIRED = 100_000;

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
  return (
    attempt(() => parseAnswerJson(escaped)) ??
    attempt(() => repaired(escaped)) ??
    attempt(() => repaired(escaped.replaceAll(APOSTROPHES, "\\'")))
  );
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
