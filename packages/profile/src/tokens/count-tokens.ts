import { setImmediate } from 'node:timers/promises';

/** Yields to the event loop after this many characters. */
const CHARACTERS_PER_TURN = 100_000;

/** Runs that the tokenizer takes for one word, in time that grows with the square of their length. */
const LONG_RUN = /\p{L}{400,}|[^\s\p{L}\p{N}]{400,}|\s{400,}/u;
/** A shorter text has no such run and is not searched for one: that took a tenth of the time of a report. */
const SHORTEST_RUN = 400;

/** A text with such a run is counted in pieces; each piece may add a token. */
const PIECE = /[^]{1,300}/gu;

/** No special tokens. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/** The tokens of each text in cl100k_base; `<|endoftext|>` and the like count as plain text. */
export async function countTokens(texts: readonly string[]): Promise<readonly number[]> {
  const { countTokens: count } = await import('gpt-tokenizer/encoding/cl100k_base');
  const counts: number[] = [];
  let characters = 0;
  for (const text of texts) {
    const hasLongRun = text.length >= SHORTEST_RUN && LONG_RUN.test(text);
    const pieces = hasLongRun ? (text.match(PIECE) ?? []) : [text];
    counts.push(pieces.reduce((sum, piece) => sum + count(piece, AS_TEXT), 0));
    characters += text.length;
    if (characters < CHARACTERS_PER_TURN) continue;
    characters = 0;
    await setImmediate();
  }
  return counts;
}
