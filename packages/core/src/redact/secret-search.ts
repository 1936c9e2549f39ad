import { unescaped } from './escapes.ts';
import { type Layer, layerOf } from './layer.ts';
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
import { SHORTEST_ENCODED, type TextBytes, unpacked } from './packed.ts';
import { listed, reversed } from './reordered.ts';

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
  readonly isEmpty: boolean;

  constructor(secrets: Iterable<string>) {
    const known = [...new Set(secrets)].filter((secret) => !isWord(secret)).map(layerOf);
    const searched = known.filter(({ bytes }) => isSearched(bytes));
    const hasOthers = searched.some(({ bytes }) => bytes.some((byte) => byte > 0x7f));
    this.isEmpty = known.length === 0;
    this.#literal = known.filter((layer) => !searched.includes(layer)).flatMap(formsOf);
    this.#hasOthers = hasOthers;
    const forms = searched.flatMap(formsOf).flatMap(spellingsOf);
    this.#indexes = [
      new NeedleIndex(FILTERS.visible, needlesOf(forms.filter(isAscii), FILTERS.visible)),
      new NeedleIndex(FILTERS.words, needlesOf(forms.filter(isAscii).filter(isNoWords), FILTERS.words)),
      new NeedleIndex(FILTERS.all, needlesOf(hasOthers ? forms.filter((form) => !isAscii(form)) : [], FILTERS.all)),
    ];
  }

  /** The hits in a text; undefined if it has so many encoded parts that the search would take too long. */
  find(text: string): Hit[] | undefined {
    const hits: Hit[] = [];
    const first = layerOf(text);
    const open = [{ layer: first, isTurned: false }];
    const seen = new Set<string>();
    let left = MOST_WORK.any + MOST_WORK.each * first.bytes.length;
    for (let next = open.pop(); next; next = open.pop()) {
      const { layer, isTurned } = next;
      if ((left -= layer.bytes.length + WORK_OF_LAYER) < 0) return undefined;
      this.#addHits(layer, hits);
      if (layer.bytes.length < SHORTEST_ENCODED || !isNew(layer, seen)) continue;
      const { long, short } = unpacked(layer, TEXT);
      const others = this.#hasOthers ? unpacked(layer, ANY).long : [];
      for (const one of [...short, ...others]) this.#addHits(one, hits);
      const plain = unescaped(layer);
      for (const one of [...(plain ? [plain] : []), ...long, ...listed(layer)]) open.push({ layer: one, isTurned });
      const backwards = isTurned || !hasEscapes(layer) ? undefined : unescaped(reversed(layer));
      if (backwards) open.push({ layer: backwards, isTurned: true });
    }
    return hits;
  }

  #addHits(layer: Layer, hits: Hit[]): void {
    for (const secret of this.#literal) hits.push(...literalHits(secret, layer));
    for (const index of this.#indexes) hits.push(...index.find(layer));
  }
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
    const plain = unescaped(layer);
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

/** The signs that begin escapes. */
const ESCAPE_SIGNS: ReadonlySet<number> = new Set(Buffer.from('\\%&='));

/** Whether so many characters may be escaped that a secret may be among them. */
function hasEscapes({ bytes }: Layer): boolean {
  let count = 0;
  for (let at = 0; at < bytes.length; at++)
    if (ESCAPE_SIGNS.has(bytes[at] as number) && ++count >= SHORTEST_SEARCHED) return true;
  return false;
}

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
