import { AROUND, LONGEST_KEPT } from './clean-texts.ts';

/** How many forms are known. */
const MOST_FORMS = 512;

/**
 * Whether identifiers hold no part of a secret, and nothing encoded. `around` has them with the characters beside them.
 */
export type IsHarmless = (identifiers: readonly string[], around: string) => boolean;

/** The identifiers of a text, and what stands around them. */
interface ReadText {
  readonly form: string;
  readonly identifiers: readonly string[];
  readonly around: string;
}

/** The forms of texts without secrets: what they are but for their identifiers, in which most failures differ. */
export class KnownForms {
  readonly #isHarmless: IsHarmless;
  readonly #forms = new Set<string>();

  constructor(isHarmless: IsHarmless) {
    this.#isHarmless = isHarmless;
  }

  /** Whether a text has a known form, and identifiers without secrets. */
  has(text: string): boolean {
    const read = this.#forms.size === 0 ? undefined : readForm(text);
    return read !== undefined && this.#forms.has(read.form) && this.#areHarmless([read]);
  }

  /**
   * The texts that are to be searched: without those that have identifiers and a known form, or the form of one before.
   * The identifiers of all are checked together.
   */
  unknown(texts: readonly string[]): readonly string[] {
    const open = new Set<string>();
    const read = texts.map((text) => {
      const one = readForm(text);
      if (one === undefined || one.identifiers.length === 0) return undefined;
      if (this.#forms.has(one.form) || open.has(one.form)) return one;
      open.add(one.form);
      return undefined;
    });
    // What is in several identifiers together is found in the whole texts only.
    const isHarmless = this.#areHarmless(read.filter((one) => one !== undefined));
    return isHarmless ? texts.filter((_, index) => read[index] === undefined) : texts;
  }

  /** Keeps the form of a text that was searched, or of one with identifiers only. */
  add(text: string, { onlyWithIdentifiers = false } = {}): void {
    const read = readForm(text);
    if (read === undefined || (onlyWithIdentifiers && read.identifiers.length === 0)) return;
    if (this.#forms.size >= MOST_FORMS) this.#forms.clear();
    this.#forms.add(read.form);
  }

  #areHarmless(read: readonly ReadText[]): boolean {
    const identifiers = read.flatMap((one) => one.identifiers);
    return identifiers.length === 0 || this.#isHarmless(identifiers, read.map(({ around }) => around).join(''));
  }
}

/** A text as it is read; undefined if it is too long to be kept, or has the character that stands for identifiers. */
function readForm(text: string): ReadText | undefined {
  const { length } = text;
  if (length > LONGEST_KEPT) return undefined;
  const identifiers: string[] = [];
  let [form, around, read] = ['', '', 0];
  // Where the word that is read began, and how many words of a UUID came before it, from `first` on.
  let [start, words, first] = [0, 0, 0];
  for (let at = 0; at <= length; at++) {
    const code = at < length ? text.charCodeAt(at) : HYPHEN;
    if (code < IN_WORD.length && IN_WORD[code] === 1) continue;
    if (code === 0) return undefined;
    const size = at - start;
    if (size !== UUID[words]) words = size === UUID[0] ? 0 : -1;
    if (words === 0) first = start;
    const isUuid = ++words === UUID.length;
    if (isUuid || (size >= WORD.shortest && size <= WORD.longest)) {
      const from = isUuid ? first : start;
      identifiers.push(text.slice(from, at));
      around += `${text.slice(Math.max(0, from - AROUND), at + AROUND)}\n`;
      form += `${text.slice(read, from)}\0`;
      read = at;
    }
    if (isUuid || code !== HYPHEN) words = 0;
    start = at + 1;
  }
  return { form: form + text.slice(read), identifiers, around };
}

/** The lengths of the words of a UUID. */
const UUID = [8, 4, 4, 4, 12];
/** A shorter word may stand for something, and a longer one may be data. */
const WORD = { shortest: 16, longest: 64 };
const HYPHEN = 0x2d;

/** For each character code up to 0x7f whether it is a letter or a digit. */
const IN_WORD = Uint8Array.from({ length: 0x80 }, (_, code) => Number(/[\da-z]/i.test(String.fromCharCode(code))));
