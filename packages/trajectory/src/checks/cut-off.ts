import type { TrajectoryCheck } from '../trajectory.ts';

/** Finish reasons of answers truncated at their token limit. */
const CUT: ReadonlySet<string | null> = new Set(['length', 'max_tokens', 'MAX_TOKENS', 'model_length']);

/** Answers that end at a token limit. A run counts them by the flaw `cut`. */
export const cutOff = {
  kind: 'cut_off',
  description:
    'An answer that ended at its token limit, or whose text ends within a block of code or in the middle of a sentence.',
  find({ messages }, report) {
    messages.forEach(({ role, text, calls, finishReason }, index) => {
      if (role !== 'assistant') return;
      if (CUT.has(finishReason)) report(index, `it was cut off at its token limit (finish_reason ${finishReason})`);
      else if (endsInCode(text)) report(index, 'its text ends within a block of code');
      // An endpoint that reports another reason knows better than the text.
      else if (finishReason === null && calls.length === 0 && endsInSentence(text)) {
        report(index, 'its text ends in the middle of a sentence');
      }
    });
  },
} as const satisfies TrajectoryCheck;

const FENCE = /^[ \t>]*(`{3,}|~{3,})([^\n]*)$/gm;

/** Whether the last fence of code has no end. */
function endsInCode(text: string): boolean {
  if (!text.includes('```') && !text.includes('~~~')) return false;
  let open: string | undefined;
  for (const [, fence = '', rest = ''] of text.matchAll(FENCE)) {
    if (open === undefined) {
      // A line such as ```code``` is inline code.
      if (!rest.includes(fence[0] ?? '')) open = fence;
    } else if (fence[0] === open[0] && fence.length >= open.length && rest.trim() === '') open = undefined;
  }
  return open !== undefined;
}

/** The shortest last line that is taken for prose. */
const SHORTEST_PROSE = 100;
const COMPLETE_SENTENCE = /\p{Ll}[.!?]["'”’)]*\s+["'“‘(]?\p{Lu}/u;
const LINE_OF_LIST = /^\s*(?:[-*+•>|#]|\d+[.)]|[A-Za-z][.)]\s)/;

/**
 * Whether a long last line of sentences ends with a letter or a comma. Lists, tables and headings need no full stop, and a link
 * at the end needs none either.
 */
function endsInSentence(text: string): boolean {
  const end = text.trimEnd();
  if (!/[\p{Ll},]$/u.test(end.slice(-2))) return false;
  const line = end.slice(end.lastIndexOf('\n') + 1);
  if (line.length < SHORTEST_PROSE || LINE_OF_LIST.test(line)) return false;
  const lastWord = line.slice(line.lastIndexOf(' ') + 1);
  return !/[/@:.\\_=]/.test(lastWord) && COMPLETE_SENTENCE.test(line);
}
