import { AROUND, LONGEST_KEPT } from './clean-texts.ts';

/** How many forms are known. */
const MOST_FORMS = 512;
/** A UUID, or a word of letters and digits: a shorter one may stand for something, and a longer one may be data. */
const IDENTIFIER = /(?<![\da-z])(?:[\da-z]{8}-(?:[\da-z]{4}-){3}[\da-z]{12}|[\da-z]{16,64})(?![\da-z])/gi;

/**
 * Whether identifiers hold no part of a secret, and nothing encoded. `around` has them with the characters beside them.
 */
export type IsHarmless = (identifiers: readonly string[], around: string) => boolean;

/** The forms of texts without secrets: what they are but for their identifiers, in which most failures differ. */
export class KnownForms {
  readonly #isHarmless: IsHarmless;
  readonly #forms = new Set<string>();

  constructor(isHarmless: IsHarmless) {
    this.#isHarmless = isHarmless;
  }

  /** Whether a text has a known form, and identifiers without secrets. */
  has(text: string): boolean {
    if (this.#forms.size === 0 || text.length > LONGEST_KEPT) return false;
    const identifiers: string[] = [];
    let around = '';
    const form = text.replace(IDENTIFIER, (identifier, at: number) => {
      identifiers.push(identifier);
      around += `${text.slice(Math.max(0, at - AROUND), at + identifier.length + AROUND)}\n`;
      return '\0';
    });
    return this.#forms.has(form) && (identifiers.length === 0 || this.#isHarmless(identifiers, around));
  }

  /** Keeps the form of a text that was searched. */
  add(text: string): void {
    if (text.length > LONGEST_KEPT) return;
    if (this.#forms.size >= MOST_FORMS) this.#forms.clear();
    this.#forms.add(text.replace(IDENTIFIER, '\0'));
  }
}
