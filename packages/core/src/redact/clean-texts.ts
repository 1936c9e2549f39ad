import { SHORTEST_PIECE } from './needles.ts';

/** How many starts of texts are known, how long they are, and how many texts are kept of each. */
const KNOWN = { starts: 256, length: 16, each: 4 };
/** Longer texts are not kept. */
const LONGEST = 8192;
/** A text that differs from a known one in more characters is searched whole. */
const MOST_CHANGED = 128;
/** A secret that reaches into the changed part begins and ends within so many characters of it, or was there before. */
const AROUND = 32;
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

/** Whether the identifiers of a text, of which all else is known, hold no part of a secret and nothing encoded. */
export type IsHarmless = (text: string, identifiers: readonly string[]) => boolean;

/** How many texts are known but for their identifiers. */
const MOST_FORMS = 512;
/** A shorter word is no identifier, as it may stand for something; nor is a longer one, which may be data. */
const IDENTIFIER = { shortest: 16, longest: 64 };

/**
 * Texts without secrets. Failures repeat each other but for an identifier or a number, so only what changed of a text,
 * with the characters around it, is searched. The same failure is told by several texts, so a changed part that stood
 * between the same characters in another text is not searched again. Nor is a text that differs from a known one in
 * identifiers alone, if those are harmless.
 */
export class CleanTexts {
  readonly #isHarmless: IsHarmless;
  readonly #forms = new Set<string>();
  readonly #byStart = new Map<string, string[]>();
  readonly #parts = new Map<string, string>();

  constructor(isHarmless: IsHarmless) {
    this.#isHarmless = isHarmless;
  }

  /** The change of a text from the known one that resembles it most. */
  changeOf(text: string): Change {
    if (text.length < SHORTEST_PIECE) return { part: text };
    const { form, identifiers } = formOf(text);
    if (this.#forms.has(form) && this.#isHarmless(text, identifiers)) return NOTHING;
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
    if (part !== '' && text.length >= SHORTEST_PIECE && text.length <= LONGEST) {
      if (this.#forms.size >= MOST_FORMS) this.#forms.clear();
      this.#forms.add(formOf(text).form);
    }
    if (words !== undefined) {
      if (this.#parts.size >= MOST_PARTS) this.#parts.clear();
      this.#parts.set(words, part);
    } else if (part.length === text.length && text.length >= SHORTEST_PIECE && text.length <= LONGEST) {
      const start = text.slice(0, KNOWN.length);
      const known = this.#byStart.get(start) ?? [];
      if (this.#byStart.size >= KNOWN.starts) this.#byStart.clear();
      this.#byStart.set(start, [text, ...known].slice(0, KNOWN.each));
    }
  }
}

/** A text with a mark in place of each identifier: a word of letters and digits, or a UUID. */
function formOf(text: string): { readonly form: string; readonly identifiers: readonly string[] } {
  const identifiers: string[] = [];
  let [form, done] = ['', 0];
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    end = endOfIdentifier(text, start);
    const length = end - start;
    if (length < IDENTIFIER.shortest || length > IDENTIFIER.longest) continue;
    identifiers.push(text.slice(start, end));
    form += `${text.slice(done, start)}\0`;
    done = end;
  }
  return { form: form + text.slice(done), identifiers };
}

/** The end of a word of letters and digits; a hyphen goes on with it where one stands in a UUID. */
function endOfIdentifier(text: string, start: number): number {
  let end = start;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    const isHyphen = code === HYPHEN && UUID_HYPHENS.has(end - start) && start + UUID_LENGTH <= text.length;
    if (!isHyphen && (code >= 0x80 || code === UNDERSCORE || IN_WORD[code] === 0)) break;
  }
  return end;
}

const [HYPHEN, UNDERSCORE] = [0x2d, 0x5f];
const UUID_LENGTH = 36;
const UUID_HYPHENS = new Set([8, 13, 18, 23]);

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
