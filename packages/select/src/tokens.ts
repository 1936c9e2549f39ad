import { mix } from './mix.ts';

/** A unit of a word. */
const WORD = 0;
/** A unit between words. */
const SEPARATOR = 1;
/** A character of a script without spaces: a token of its own. */
const SINGLE = 2;
/** The first half of a character of a script without spaces. */
const LEAD = 3;

const LETTER = /[\p{L}\p{M}\p{N}]/u;
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Yi}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]/u;
/** The first halves of the ideographs above U+FFFF. */
const LEADS = { first: 0xd840, last: 0xd88f };

type Classes = Uint8Array<ArrayBuffer>;

/** Classes of all UTF-16 units; made when the first text is read. */
const tables: { whole?: Classes; plain?: Classes } = {};

/** White space separates words, and punctuation belongs to them. */
function wholeClasses(): Classes {
  return (tables.whole ??= classesOf((character) => /\s/u.test(character)));
}

/** Everything but letters, marks and digits separates words. */
function plainClasses(): Classes {
  return (tables.plain ??= classesOf((character) => !LETTER.test(character)));
}

function classesOf(separates: (character: string) => boolean): Classes {
  return Uint8Array.from({ length: 0x10000 }, (_, unit) => {
    if (unit >= 0xd800 && unit <= 0xdfff) return unit >= LEADS.first && unit <= LEADS.last ? LEAD : WORD;
    const character = String.fromCharCode(unit);
    if (LETTER.test(character) && UNSPACED.test(character)) return SINGLE;
    return separates(character) ? SEPARATOR : WORD;
  });
}

/** Starts and factors of the two hashes: FNV-1a (Fowler, Noll, Vo, public domain), and one of another form. */
const HIGH_START = 0x811c9dc5 | 0;
const HIGH_FACTOR = 0x01000193;
const LOW_START = 0x2f0b4c47;
const LOW_FACTOR = 0x5bd1e995;

/**
 * The tokens of one text as two independent hashes of 32 bits each: its words, and the single characters of scripts
 * without spaces. The next text overwrites them.
 */
export class Tokens {
  #count = 0;
  #high = new Int32Array(1024);
  #low = new Int32Array(1024);

  /** The number of tokens. */
  get count(): number {
    return this.#count;
  }

  get high(): Int32Array {
    return this.#high;
  }

  get low(): Int32Array {
    return this.#low;
  }

  /** Reads the words of a text with their punctuation. */
  readWhole(text: string): this {
    return this.#read(text, wholeClasses());
  }

  /** Reads the words of a text without punctuation. */
  readPlain(text: string): this {
    return this.#read(text, plainClasses());
  }

  #read(text: string, classes: Classes): this {
    this.#count = 0;
    let [high, low, units] = [HIGH_START, LOW_START, 0];
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      const kind = classes[unit];
      if (kind === WORD) {
        high = Math.imul(high ^ unit, HIGH_FACTOR);
        low = Math.imul(low, LOW_FACTOR) + unit + 1;
        units++;
        continue;
      }
      if (units > 0) {
        this.#add(high, low);
        high = HIGH_START;
        low = LOW_START;
        units = 0;
      }
      if (kind === SEPARATOR) continue;
      const second = kind === LEAD ? text.charCodeAt(++at) : 0;
      this.#add(Math.imul(HIGH_START ^ unit, HIGH_FACTOR) ^ second, Math.imul(LOW_START + second, LOW_FACTOR) + unit);
    }
    if (units > 0) this.#add(high, low);
    return this;
  }

  #add(high: number, low: number): void {
    if (this.#count === this.#high.length) this.#grow();
    this.#high[this.#count] = mix(high);
    this.#low[this.#count++] = mix(low);
  }

  #grow(): void {
    const [high, low] = [this.#high, this.#low];
    this.#high = new Int32Array(high.length * 2);
    this.#low = new Int32Array(low.length * 2);
    this.#high.set(high);
    this.#low.set(low);
  }
}
