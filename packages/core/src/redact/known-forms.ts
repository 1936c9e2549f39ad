/** How many forms are known, and how long a text may be. */
const KNOWN = { forms: 512, length: 8192 };
/** A secret that reaches into an identifier begins and ends within so many characters of it, or was there before. */
const AROUND = 32;
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
    if (this.#forms.size === 0 || text.length > KNOWN.length) return false;
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
    if (text.length > KNOWN.length) return;
    if (this.#forms.size >= KNOWN.forms) this.#forms.clear();
    this.#forms.add(text.replace(IDENTIFIER, '\0'));
  }
}
