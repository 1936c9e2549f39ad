import { setImmediate } from 'node:timers/promises';

/** Texts between pauses, by characters, so that the thread has time for others. */
const CHARACTERS_AT_A_TIME = 100_000;

/** Runs of one kind of character that the tokenizer would take for a single word; its time grows with their square. */
const LONG_RUN = /\p{L}{400,}|[^\s\p{L}\p{N}]{400,}|\s{400,}/u;

/** A text with such a run is counted in pieces of so many characters, which may make a token more of each. */
const PIECE = /[^]{1,300}/gu;

/** How many tokens each text is by cl100k_base; words such as `<|endoftext|>` are text like other. */
export async function countTokens(texts: readonly string[]): Promise<readonly number[]> {
  const { countTokens: count } = await import('gpt-tokenizer/encoding/cl100k_base');
  const counts: number[] = [];
  let characters = 0;
  for (const text of texts) {
    const pieces = LONG_RUN.test(text) ? (text.match(PIECE) ?? []) : [text];
    counts.push(pieces.reduce((sum, piece) => sum + count(piece, { disallowedSpecial: new Set() }), 0));
    characters += text.length;
    if (characters < CHARACTERS_AT_A_TIME) continue;
    characters = 0;
    await setImmediate();
  }
  return counts;
}
