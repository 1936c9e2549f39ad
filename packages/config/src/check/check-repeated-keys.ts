import type { Violation } from '@data-designer/core';
import { codeFrame, textPartOf } from '../source-text.ts';

/** Warnings for keys that a document has twice in one mapping: only the second value counts. */
export function checkRepeatedKeys(document: unknown): readonly Violation[] {
  const { source } = textPartOf(document) ?? {};
  return (source?.repeated ?? []).map(({ key, first, second }) => {
    const frame = source?.isPrivate === false ? codeFrame(source.text, second) : undefined;
    return {
      stage: 'load',
      level: 'WARNING',
      type: 'repeated_key',
      path: key,
      message: `this key is written in line ${first.line} too, and only the value here counts.`,
      remedy: 'Remove one of them.',
      ...(source && { file: source.path }),
      position: second,
      ...(frame !== undefined && { frame }),
    };
  });
}
