import { setImmediate } from 'node:timers/promises';
import { countMerged } from './merge-pairs.ts';
import { type Encoding, NO_TOKEN, Vocabulary } from './vocabulary.ts';

/** Yields to the event loop after this many characters. */
const CHARACTERS_PER_TURN = 100_000;

/**
 * The pieces of a text, which share no token, as OpenAI's tiktoken divides it, by encoding. In order, for cl100k_base: the
 * ending of a contraction; a word with the space or mark before it; up to three digits; marks with the line breaks after
 * them; white space at the end, or up to its last line break, or without the space before a word, or that space. In
 * o200k_base a word begins with its capitals, and has the ending of its contraction.
 */
const PIECES: Readonly<Record<Encoding, RegExp>> = {
  cl100k_base: pieces([
    String.raw`'(?:[sdmtSDMT]|[lL][lL]|[vV][eE]|[rR][eE])`,
    String.raw`[^\r\n\p{L}\p{N}]?\p{L}+`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*`,
    String.raw`\s+$|\s*[\r\n]|\s+(?!\S)|\s`,
  ]),
  o200k_base: pieces([
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:'(?:[sdmtSDMTſ]|[lL][lL]|[vV][eE]|[rR][eE]))?`,
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?:'(?:[sdmtSDMTſ]|[lL][lL]|[vV][eE]|[rR][eE]))?`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+|\s+(?!\S)|\s+`,
  ]),
};

function pieces(kinds: readonly string[]): RegExp {
  // White space of Unicode: unlike `\s`, it has U+0085, but not U+FEFF, with which some tokens begin.
  const source = kinds
    .join('|')
    .replaceAll(String.raw`\s`, String.raw`\p{White_Space}`)
    .replaceAll(String.raw`\S`, String.raw`\P{White_Space}`);
  return new RegExp(source, 'gu');
}

const encoder = new TextEncoder();
const loaded = new Map<Encoding, Vocabulary>();

function vocabularyOf(encoding: Encoding): Vocabulary {
  const known = loaded.get(encoding) ?? Vocabulary.load(encoding);
  loaded.set(encoding, known);
  return known;
}

/** The tokens of a text; `<|endoftext|>` and the like count as plain text. */
export function countTextTokens(text: string, encoding: Encoding): number {
  return countText(text, { vocabulary: vocabularyOf(encoding), piece: PIECES[encoding] });
}

/** The tokens of each text in cl100k_base, or another encoding. */
export async function countTokens(
  texts: readonly string[],
  encoding: Encoding = 'cl100k_base',
): Promise<readonly number[]> {
  const counts: number[] = [];
  let characters = 0;
  for (const text of texts) {
    counts.push(countTextTokens(text, encoding));
    characters += text.length;
    if (characters < CHARACTERS_PER_TURN) continue;
    characters = 0;
    await setImmediate();
  }
  return counts;
}

function countText(
  text: string,
  { vocabulary, piece }: { readonly vocabulary: Vocabulary; readonly piece: RegExp },
): number {
  const bytes = encoder.encode(text);
  const isAscii = bytes.length === text.length;
  let count = 0;
  let start = 0;
  let first = 0;
  piece.lastIndex = 0;
  while (piece.test(text)) {
    const last = piece.lastIndex;
    const end = isAscii ? last : after(last - first, bytes, start);
    const isToken = vocabulary.rankOf(bytes, start, end) !== NO_TOKEN;
    count += isToken ? 1 : countMerged(vocabulary, bytes, [start, end]);
    start = end;
    first = last;
  }
  return count;
}

/**
 * The position in UTF-8 after `units` UTF-16 code units from `start` on; half of a surrogate pair is U+FFFD there. Lengths come
 * from the bytes because Node 24, in optimized code, lets `codePointAt` complete a pair with the character after a substring.
 */
function after(units: number, bytes: Uint8Array, start: number): number {
  let at = start;
  for (let left = units; left > 0; left--) {
    const lead = bytes[at] ?? 0;
    at += lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead >= 0xf0) left--;
  }
  return at;
}
