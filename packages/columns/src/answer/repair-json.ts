import { jsonrepair } from 'jsonrepair';
import { type CellValue } from '@data-designer/core';
import { escapeBackslashes } from './escape-backslashes.ts';
import { isConserved } from './is-conserved.ts';
import { parseAnswerJson } from './parse-answer-json.ts';

/** Longer text is not repaired: that takes time that grows with the square of the length, 6 s for 200,000 characters. */
const MAX_REPAIRED = 100_000;

/** Repairs small mistakes in JSON; undefined if that would delete, add or change content. */
export function repairJson(text: string): CellValue | undefined {
  if (text.length > MAX_REPAIRED) return undefined;
  const escaped = escapeBackslashes(text);
  return attempt(() => parseAnswerJson(escaped)) ?? attempt(() => repaired(escaped));
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
