import { isDeepStrictEqual } from 'node:util';
import { type Fields, isFields, parseJson, stringifyJson, tryParse } from '@data-designer/core';
import { withEveryDigit } from './exact-numbers.ts';

/** What a tool config says about structured content beside text: in place of the text, or after it. */
export type StructuredUse = 'prefer' | 'append';

/**
 * The structured content of a result as JSON text, where the model sees it: beside texts that are blank, and beside others only
 * if the tool config says so. Undefined also where `append` would repeat what the texts say.
 */
export function structuredText(
  { structuredContent }: Fields,
  texts: readonly string[],
  use: StructuredUse | undefined,
): string | undefined {
  if (structuredContent === undefined || structuredContent === null) return undefined;
  const isBlank = texts.every((text) => text.trim() === '');
  if (!isBlank && use === undefined) return undefined;
  if (!isBlank && use === 'append' && isSaid(structuredContent, texts)) return undefined;
  return stringifyJson(structuredContent);
}

/** Whether the texts are the structured content already: as JSON, or as the plain value that servers wrap as `result`. */
function isSaid(structured: unknown, texts: readonly string[]): boolean {
  const whole = texts.join('\n');
  const parsed = texts.map((text) => tryParse<unknown>(text, parseJson) ?? text);
  const said = [whole, tryParse<unknown>(whole, parseJson), parsed, texts].map(withEveryDigit);
  const meant = [structured, ...(isFields(structured) && onlyResult(structured) ? [structured.result] : [])];
  return meant.map(withEveryDigit).some((value) => said.some((form) => isDeepStrictEqual(form, value)));
}

function onlyResult(structured: Fields): boolean {
  return Object.keys(structured).length === 1 && structured.result !== undefined;
}
