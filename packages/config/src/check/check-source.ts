import type { TextPosition, Violation } from '@data-designer/core';
import { codeFrame, type SourceText, textPartOf } from '../source-text.ts';

/** Warnings of what a document's text has that its writer may not have meant. */
export function checkSource(document: unknown): readonly Violation[] {
  const { source } = textPartOf(document) ?? {};
  if (!source) return [];
  const repeated = (source.repeated ?? []).map(({ key, first, second }) =>
    warning(source, second, {
      type: 'repeated_key',
      path: key,
      message: `this key is written in line ${first.line} too, and only the value here counts.`,
      remedy: 'Remove one of them.',
    }),
  );
  const misread = (source.misread ?? []).map(({ word, value, position }) =>
    warning(source, position, {
      type: 'misread_word',
      path: word,
      message: `YAML reads this as the ${typeof value === 'boolean' ? 'boolean' : 'number'} ${value}.`,
      remedy: `Put quotes around it if you mean the text: '${word}'.`,
    }),
  );
  return [...repeated, ...misread];
}

function warning(
  { path: file, text, isPrivate }: SourceText,
  position: TextPosition,
  told: Pick<Violation, 'type' | 'path' | 'message' | 'remedy'>,
): Violation {
  const frame = isPrivate ? undefined : codeFrame(text, position);
  return { stage: 'load', level: 'WARNING', ...told, file, position, ...(frame !== undefined && { frame }) };
}
