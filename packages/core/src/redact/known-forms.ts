import { AROUND, LONGEST_KEPT } from './clean-texts.ts';

/** How many forms are known. */
const MOST_FORMS = 512;
/** A UUID, or a word of letters and digits: a shorter one may stand for something, and a longer one may be data. */
const IDENTIFIER = /(?<![\da-z])(?:[\da-z]{8}-(?:[\da-z]{4}-){3}[\da-z]{12}|[\da-z]{16,64})(?![\da-z])/gi;

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
    const known = read.filter((one) => one !== undefined);
    if (known.length === 0) return texts;
    const areAll = this.#areHarmless(known);
    return texts.filter((_, index) => {
      const one = read[index];
      return one === undefined || !(areAll || this.#areHarmless([one]));
    });
  }

  /** Keeps the form of a text that was searched, or of one with identifiers only. */
  add(text: string, { onlyWithIdentifiers = false } = {}): void {
    if (text.length > LONGEST_KEPT) return;
    const form = text.replace(IDENTIFIER, '\0');
    if (onlyWithIdentifiers && form === text) return;
    if (this.#forms.size >= MOST_FORMS) this.#forms.clear();
    this.#forms.add(form);
  }

  #areHarmless(read: readonly ReadText[]): boolean {
    const identifiers = read.flatMap((one) => one.identifiers);
    return identifiers.length === 0 || this.#isHarmless(identifiers, read.map(({ around }) => around).join(''));
  }
}

/** A text as it is read; undefined if it is too long to be kept. */
function readForm(text: string): ReadText | undefined {
  if (text.length > LONGEST_KEPT) return undefined;
  const identifiers: string[] = [];
  let around = '';
  const form = text.replace(IDENTIFIER, (identifier, at: number) => {
    identifiers.push(identifier);
    around += `${text.slice(Math.max(0, at - AROUND), at + identifier.length + AROUND)}\n`;
    return '\0';
  });
  return { form, identifiers, around };
}
