import { withoutCode } from '@data-designer/core';
import { languageMistake } from '../languages.ts';
import type { TrajectoryCheck } from '../trajectory.ts';

/** Turns in another language than the one asked for. */
export const otherLanguage = {
  kind: 'other_language',
  description: 'A message of user or assistant that is not in `language`, by its script and its frequent words.',
  find({ messages, rules: { language } }, report) {
    if (language === undefined) return;
    messages.forEach(({ role, text }, index) => {
      if (role !== 'user' && role !== 'assistant') return;
      const mistake = languageMistake(proseOf(text), language);
      if (mistake !== undefined) report(index, `it is not in the language '${language}': ${mistake}`);
    });
  },
} as const satisfies TrajectoryCheck;

/** Characters that are read: a message does not change its language after so many. */
const MOST_CHARACTERS = 2_000;

/** The text without code, tags, addresses, words with digits and JSON, which have no language. */
function proseOf(text: string): string {
  if (/^\s*[[{]/.test(text)) return '';
  return withoutCode(text.slice(0, MOST_CHARACTERS)).replaceAll(
    /\bcode\b|<[^<>\n]{1,500}>|https?:\/\/\S+|\w*[\d_@]\w*/g,
    ' ',
  );
}
