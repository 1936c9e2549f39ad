import { CleanTexts, LONGEST_KEPT } from './clean-texts.ts';
import { encodedForms } from './encoded-forms.ts';
import { escapeSigns, unescaped } from './escapes.ts';
import { inflated, isInflatableHex } from './inflated.ts';
import { KnownForms } from './known-forms.ts';
import { type Layer, layerOf, layerOfLookalikes } from './layer.ts';
import {
  FEWEST_DIFFERENT,
  FILTERS,
  type Filter,
  filtered,
  type Hit,
  NeedleIndex,
  SHORTEST_PIECE,
  SHORTEST_SEARCHED,
} from './needles.ts';
import { hexTextLines, SHORTEST_ENCODED, type TextBytes, unpacked } from './packed.ts';
import { listed, reversed, withoutRepeats } from './reordered.ts';

/** Stands between texts that are searched together. */
export const SEPARATOR = '\n';
/** Longer texts are not searched. */
export const LONGEST = 512 * 1024;
/** Shorter texts are searched together with their neighbours. */
const SHORT_TEXT = 32;
/** Shorter texts are no secrets. */
const SHORTEST = 4;
/** Words of letters, or numbers, that may be joined by signs: users give such texts to servers that want any key. */
const WORDS = /^(?:(?:\p{Lu}?\p{Ll}+|\p{Lu}+)(?:[-_. ](?:\p{Lu}?\p{Ll}+|\p{Lu}+))*|\d+(?:[-_. ]\d+)*)$/u;

/** The most bytes that are decoded and searched for each byte of a text, and for any text. */
const MOST_WORK = { each: 8, any: 524_288 };
/** What a layer costs besides its bytes. */
const WORK_OF_LAYER = 64;

/** Finds secrets in texts: as they are, in any case and with anything between their characters, and encoded at any depth. */
export class SecretSearch {
  /** Secrets that are searched as they are written only. */
  readonly #literal: readonly Buffer[];
  readonly #indexes: readonly NeedleIndex[];
  /** Whether a secret has characters outside ASCII, which decoded bytes are not searched for otherwise. */
  readonly #hasOthers: boolean;
  readonly #clean = new CleanTexts();
  /** The forms of texts that were searched together. */
  readonly #together = new KnownForms((identifiers, around) => this.#areHarmless(identifiers, around));
  /** Those of single texts among others. */
  readonly #units = new KnownForms((identifiers, around) => this.#areHarmless(identifiers, around));
  readonly isEmpty: boolean;

  constructor(secrets: Iterable<string>) {
    const known = [...new Set(secrets)].filter((secret) => !isWord(secret)).map(layerOf);
    const searched = known.filter(({ bytes }) => isSearched(bytes));
    const hasOthers = searched.some(({ bytes }) => bytes.some((byte) => byte > 0x7f));
    this.isEmpty = known.length === 0;
    this.#literal = known.filter((layer) => !searched.includes(layer)).flatMap(formsOf);
    this.#hasOthers = hasOthers;
    const forms = searched.flatMap(formsOf).flatMap(spellingsOf);
    const encoded = searched.flatMap(({ bytes }) => encodedForms(bytes)).filter(isAscii);
    this.#indexes = [
      new NeedleIndex(FILTERS.visible, needlesOf([...forms.filter(isAscii), ...encoded], FILTERS.visible)),
      new NeedleIndex(FILTERS.words, needlesOf(forms.filter(isAscii).filter(isNoWords), FILTERS.words)),
      new NeedleIndex(FILTERS.all, needlesOf(hasOthers ? forms.filter((form) => !isAscii(form)) : [], FILTERS.all)),
    ];
  }

  /** Whether some texts, searched together, hold no secret; false if it is not known. */
  isClean(texts: readonly string[]): boolean {
    const length = texts.reduce((sum, text) => sum + text.length, texts.length);
    const all = length > LONGEST_KEPT ? undefined : texts.join(SEPARATOR);
    if (all !== undefined && this.#together.has(all)) return true;
    const isClean = this.#isCleanPart(texts);
    if (isClean && all !== undefined) this.#together.add(all);
    return isClean;
  }

  /** The same without those that were searched before. */
  #isCleanPart(texts: readonly string[]): boolean {
    const units = this.#units.unknown(unitsOf(texts));
    const changes = units.map((unit) => this.#clean.changeOf(unit));
    const parts = changes.map(({ part }) => part).filter((part) => part !== '');
    const changed = parts.join(SEPARATOR);
    if (changed === '') return true;
    if (changed.length > LONGEST || this.find(changed)?.length !== 0) return false;
    for (const [index, change] of changes.entries()) {
      const unit = units[index] ?? '';
      this.#clean.add(unit, change);
      this.#units.add(unit, { onlyWithIdentifiers: true });
    }
    return true;
  }

  /** The hits in a text; undefined if it has so many encoded parts that the search would take too long. */
  find(text: string): Hit[] | undefined {
    const hits: Hit[] = [];
    const others = layerOfLookalikes(text);
    const first = others === undefined || this.#hasOthers ? layerOf(text) : others;
    const open = [{ layer: first, isTurned: false }];
    if (others !== undefined && others !== first) open.push({ layer: others, isTurned: false });
    const seen = new Set<string>();
    let left = MOST_WORK.any + MOST_WORK.each * first.bytes.length;
    for (let next = open.pop(); next; next = open.pop()) {
      const { layer, isTurned } = next;
      if ((left -= layer.bytes.length + WORK_OF_LAYER) < 0) return undefined;
      this.#addHits(layer, hits);
      // Whatever is decoded is shorter than the text itself.
      if (layer.bytes.length < SHORTEST_ENCODED || (layer !== first && !isNew(layer, seen))) continue;
      const { long, short } = unpacked(layer, TEXT);
      const binary = this.#hasOthers ? unpacked(layer, ANY).long : [];
      for (const one of [...short, ...binary]) this.#addHits(one, hits);
      const signs = escapeSigns(layer.bytes);
      const plain = unescaped(layer, signs > 0);
      const packed = inflated(layer);
      if (!packed) return undefined;
      const parts = layer.isInPlace ? withoutRepeats(layer) : undefined;
      if (parts) this.#addHits(parts, hits);
      for (const one of [...(plain ? [plain] : []), ...long, ...listed(layer), ...packed])
        open.push({ layer: one, isTurned });
      const backwards = isTurned || signs < SHORTEST_SEARCHED ? undefined : unescaped(reversed(layer), true);
      if (backwards) open.push({ layer: backwards, isTurned: true });
    }
    return hits;
  }

  /** Whether no piece of a secret stands in identifiers and beside them as it is, and they decode to nothing. */
  #areHarmless(identifiers: readonly string[], around: string): boolean {
    if (this.#hits(layerOf(around)).length > 0) return false;
    const words = identifiers.join(SEPARATOR);
    const encoded = (this.#hasOthers ? undefined : hexTextLines(words)) ?? words;
    if (encoded !== '') {
      const { long, short } = unpacked(layerOf(encoded), this.#hasOthers ? ANY : TEXT);
      if (long.length > 0 || short.some((one) => this.#hits(one).length > 0)) return false;
    }
    if (encoded !== words && !identifiers.some(isInflatableHex)) return true;
    return inflated(layerOf(words))?.length === 0;
  }

  #hits(layer: Layer): Hit[] {
    const hits: Hit[] = [];
    this.#addHits(layer, hits);
    return hits;
  }

  #addHits(layer: Layer, hits: Hit[]): void {
    for (const secret of this.#literal) hits.push(...literalHits(secret, layer));
    for (const index of this.#indexes) for (const hit of index.find(layer)) hits.push(hit);
  }
}

/** Texts with short neighbours joined to one. */
function unitsOf(texts: readonly string[]): string[] {
  const units: string[] = [];
  let wasShort = false;
  for (const text of texts) {
    const isShort = text.length < SHORT_TEXT;
    if (isShort && wasShort) units.push(units.pop() + SEPARATOR + text);
    else units.push(text);
    wasShort = isShort;
  }
  return units;
}

/** Whether a text is too short for a secret, or a word or number that ordinary texts contain. */
function isWord(text: string): boolean {
  return text.length < SHORTEST || (text.length < SHORTEST_PIECE && WORDS.test(text) && !/[-_. ]/.test(text));
}

/** Whether a secret is searched in every form: it is long, or no words. */
function isSearched(bytes: Buffer): boolean {
  const isVaried = new Set(bytes).size >= FEWEST_DIFFERENT;
  const isLong = bytes.length >= SHORTEST_PIECE;
  return isVaried && (isLong || (bytes.length >= SHORTEST_SEARCHED && isNoWords(bytes)));
}

/** Whether letters and digits alone tell a secret from words. */
function isNoWords(bytes: Buffer): boolean {
  return !WORDS.test(bytes.toString('utf8'));
}

function isAscii(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte < 0x80);
}

/** The texts that decoders may leave of a secret: it may hold escapes itself. */
function formsOf(secret: Layer): Buffer[] {
  const open = [secret];
  const forms = new Map<string, Buffer>();
  for (let layer = open.pop(); layer; layer = open.pop()) {
    const name = layer.bytes.toString('latin1');
    if (forms.has(name)) continue;
    forms.set(name, layer.bytes);
    const plain = unescaped(layer, true);
    if (plain) open.push(plain);
  }
  return [...forms.values()];
}

/** A secret and its reverse in UTF-8, with the plus signs of forms, and in the other encodings of characters outside ASCII. */
function spellingsOf(secret: Buffer): Buffer[] {
  const text = secret.toString('utf8');
  const written = [text, ...(text.includes(' ') ? [text.replaceAll(' ', '+')] : [])];
  const both = written.flatMap((one) => [one, Array.from(one).toReversed().join('')]);
  if (isAscii(secret)) return both.map((one) => Buffer.from(one));
  return both.flatMap((one) => {
    const wide = Buffer.from(one, 'utf16le');
    return [Buffer.from(one), wide, Buffer.from(wide).swap16(), Buffer.from(one, 'latin1')];
  });
}

function needlesOf(forms: readonly Buffer[], by: Filter): Uint8Array[] {
  return forms.map((form) => filtered(form, by)).filter(({ length }) => length >= SHORTEST_SEARCHED);
}

/** The bytes of ASCII text, of which encoded text consists; spaces and zeros, as of UTF-16, may stand between. */
const TEXT: TextBytes = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte > 0x20 && byte < 0x7f) return 1;
  return byte === 0 || byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) ? 2 : 0;
});
const ANY: TextBytes = new Uint8Array(256).fill(1);

/** Whether the bytes of a layer were not decoded before: several escapes may be decoded in any order. */
function isNew({ bytes }: Layer, seen: Set<string>): boolean {
  const { size } = seen;
  return seen.add(bytes.toString('latin1')).size > size;
}

/** Where a secret stands as it is written, and not within a word. */
function literalHits(secret: Buffer, { bytes, starts, ends, isInPlace }: Layer): Hit[] {
  const hits: Hit[] = [];
  for (let at = bytes.indexOf(secret); at >= 0; at = bytes.indexOf(secret, at + 1)) {
    const last = at + secret.length - 1;
    const isInWord = isWordByte(bytes[at - 1]) || isWordByte(bytes[last + 1]);
    const edges = { start: starts[at] as number, end: ends[last] as number };
    if (!isInWord) hits.push({ ...edges, before: 0, after: 0, length: secret.length, isInPlace });
  }
  return hits;
}

function isWordByte(byte: number | undefined): boolean {
  return byte !== undefined && /[\da-z]/i.test(String.fromCharCode(byte));
}
