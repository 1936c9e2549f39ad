import { SHORTEST_PIECE } from './needles.ts';

/** How many starts of texts are known, how long they are, and how many texts are kept of each. */
const KNOWN = { starts: 256, length: 16, each: 4 };
/** Longer texts are not kept. */
export const LONGEST_KEPT = 8192;
/** A text that differs from a known one in more characters is searched whole. */
const MOST_CHANGED = 128;
/** A secret that reaches into a changed part begins and ends within so many characters of it, or was there before. */
export const AROUND = 32;
/** How many changed parts are known with what stood around them. */
const MOST_PARTS = 1024;

/** What is to be searched of a text. */
export interface Change {
  /** The changed characters with those around them; all of a text that resembles no known one; empty for a known text. */
  readonly part: string;
  /** The changed words; undefined unless the part is one of a text. */
  readonly words?: string;
}

const NOTHING: Change = { part: '' };

/**
 * Texts without secrets. Failures repeat each other but for an identifier or a number, so only what changed of a text,
 * with the characters around it, is searched. The same failure is told by several texts, so a changed part that stood
 * between the same characters in another text is not searched again.
 */
export class CleanTexts {
  readonly #byStart = new Map<string, string[]>();
  readonly #parts = new Map<string, string>();

  /** The change of a text from the known one that resembles it most. */
  changeOf(text: string): Change {
    if (text.length < SHORTEST_PIECE) return { part: text };
    let changed: readonly [start: number, end: number] = [0, text.length + 2 * AROUND];
    for (const known of this.#byStart.get(text.slice(0, KNOWN.length)) ?? []) {
      const [start, end] = differenceOf(text, known);
      if (start === end) return NOTHING;
      if (end - start <= MOST_CHANGED && end - start < changed[1] - changed[0]) changed = [start, end];
    }
    const [start, end] = wordsAround(text, changed);
    const part = text.slice(Math.max(0, start - AROUND), end + AROUND);
    if (part.length === text.length) return { part };
    const words = text.slice(start, end);
    return holds(this.#parts.get(words), part) ? NOTHING : { part, words };
  }

  /** Keeps a text, or the changed part of one, that was searched. */
  add(text: string, { part, words }: Change): void {
    if (words !== undefined) {
      if (this.#parts.size >= MOST_PARTS) this.#parts.clear();
      this.#parts.set(words, part);
    } else if (part.length === text.length && text.length >= SHORTEST_PIECE && text.length <= LONGEST_KEPT) {
      const start = text.slice(0, KNOWN.length);
      const known = this.#byStart.get(start) ?? [];
      if (this.#byStart.size >= KNOWN.starts) this.#byStart.clear();
      this.#byStart.set(start, [text, ...known].slice(0, KNOWN.each));
    }
  }
}

/** The part of a text that another one does not have; empty where they are the same. */
function differenceOf(text: string, other: string): readonly [start: number, end: number] {
  const shorter = Math.min(text.length, other.length);
  let start = 0;
  while (start < shorter && text.charCodeAt(start) === other.charCodeAt(start)) start++;
  let same = 0;
  while (
    same < shorter - start &&
    text.charCodeAt(text.length - 1 - same) === other.charCodeAt(other.length - 1 - same)
  )
    same++;
  // What was removed brings its neighbours together.
  const end = text.length - same;
  return [start === end && text.length !== other.length ? Math.max(0, start - 1) : start, end];
}

/** For each character code up to 0x7f whether it stands within words; characters outside ASCII do. */
const IN_WORD = Uint8Array.from({ length: 0x80 }, (_, code) => Number(/\w/.test(String.fromCharCode(code))));

function isInWord(text: string, at: number): boolean {
  return at >= 0 && at < text.length && IN_WORD[text.charCodeAt(at)] !== 0;
}

/** A part of a text with the rest of the words at its edges, as far as they matter. */
function wordsAround(text: string, [start, end]: readonly [number, number]): readonly [start: number, end: number] {
  const [least, most] = [start - AROUND, end + AROUND];
  let [first, last] = [start, end];
  while (first > least && isInWord(text, first - 1)) first--;
  while (last < most && isInWord(text, last)) last++;
  return [first, last];
}

/** Whether a searched part holds another one, not within a word. */
function holds(searched: string | undefined, part: string): boolean {
  const at = searched?.indexOf(part) ?? -1;
  return searched !== undefined && at >= 0 && !isInWord(searched, at - 1) && !isInWord(searched, at + part.length);
}
