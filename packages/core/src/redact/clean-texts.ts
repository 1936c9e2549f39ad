import { SHORTEST_PIECE } from './needles.ts';

/** How many starts of texts are known, how long they are, and how many texts are kept of each. */
const KNOWN = { starts: 256, length: 24, each: 4 };
/** Longer texts are not kept. */
const LONGEST = 8192;
/** A text that differs from a known one in more characters is searched whole. */
const MOST_CHANGED = 128;
/** A secret that reaches into the changed part begins and ends within so many characters of it, or was there before. */
const AROUND = 32;

/**
 * Texts without secrets. Failures repeat each other but for an identifier or a number, so only what changed of a text,
 * with the characters around it, is searched.
 */
export class CleanTexts {
  readonly #byStart = new Map<string, string[]>();

  /** The part of a text that is to be searched: all of it unless a known text resembles it. */
  changedPart(text: string): string {
    if (text.length < SHORTEST_PIECE) return text;
    let part = text;
    for (const known of this.#byStart.get(text.slice(0, KNOWN.length)) ?? []) {
      const [start, end] = differenceOf(text, known);
      const isNear = end - start <= MOST_CHANGED;
      const next = isNear && start < end ? text.slice(Math.max(0, start - AROUND), end + AROUND) : '';
      if (isNear && next.length < part.length) part = next;
    }
    return part;
  }

  /** Keeps a text that was searched whole. */
  add(text: string): void {
    if (text.length < SHORTEST_PIECE || text.length > LONGEST) return;
    const start = text.slice(0, KNOWN.length);
    const known = this.#byStart.get(start) ?? [];
    if (this.#byStart.size >= KNOWN.starts) this.#byStart.clear();
    this.#byStart.set(start, [text, ...known].slice(0, KNOWN.each));
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
