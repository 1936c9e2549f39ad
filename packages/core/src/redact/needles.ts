import { BARRIER, type Layer } from './layer.ts';

/** A part of a text that holds a secret or a piece of one. */
export interface Hit {
  readonly start: number;
  readonly end: number;
  /** How many characters of the secret the text may hold before and after the part, in other forms. */
  readonly before: number;
  readonly after: number;
  /** The length of the piece in bytes. */
  readonly length: number;
  readonly isInPlace: boolean;
}

/** Pieces of secrets that are shorter occur by chance. */
export const SHORTEST_PIECE = 12;
/** Secrets that are shorter are searched as they are written only. */
export const SHORTEST_SEARCHED = 8;
/** A piece of fewer different characters, such as a row of zeros, occurs by chance. */
export const FEWEST_DIFFERENT = 5;

/** For each byte the one that is compared, or 0 for a byte that does not count. */
export type Filter = Uint8Array;

function filter(counts: (byte: number) => boolean): Filter {
  return Uint8Array.from({ length: 256 }, (_, byte) => {
    const isUpper = byte >= 0x41 && byte <= 0x5a;
    return counts(byte) || byte === BARRIER ? byte + (isUpper ? 0x20 : 0) : 0;
  });
}

const isAscii = (byte: number): boolean => byte > 0x20 && byte < 0x7f;

/** Visible ASCII characters; letters and digits alone; all bytes but spaces and control characters. */
export const FILTERS = {
  visible: filter(isAscii),
  words: filter((byte) => isAscii(byte) && /[a-z\d]/i.test(String.fromCharCode(byte))),
  all: filter((byte) => byte > 0x20 && byte !== 0x7f),
} as const;

/** The bytes that a filter leaves, in its comparable form. */
export function filtered(bytes: Uint8Array, by: Filter): Uint8Array {
  return Uint8Array.from(bytes, (byte) => by[byte] as number).filter((byte) => byte !== 0);
}

interface Place {
  readonly needle: Uint8Array;
  readonly offset: number;
}

const FACTOR = 0x01000193;
/** The factor of the byte that leaves a window. */
const LEAVING = Array.from({ length: SHORTEST_SEARCHED }).reduce<number>((power) => Math.imul(power, FACTOR), 1);
/** A table that most texts miss. */
const TABLE_BITS = 17;

/** Finds needles and their pieces in the bytes that a filter leaves of a layer, in one pass. */
export class NeedleIndex {
  readonly #filter: Filter;
  readonly #places = new Map<number, Place[]>();
  readonly #table = new Uint8Array(2 ** (TABLE_BITS - 3));
  #bytes = new Uint8Array(0);
  #at = new Int32Array(0);

  constructor(by: Filter, needles: Iterable<Uint8Array>) {
    this.#filter = by;
    for (const needle of needles) this.#add(needle);
  }

  #add(needle: Uint8Array): void {
    for (let offset = 0; offset + SHORTEST_SEARCHED <= needle.length; offset++) {
      const window = needle.subarray(offset, offset + SHORTEST_SEARCHED);
      if (new Set(window).size < FEWEST_DIFFERENT - 1) continue;
      const hash = window.reduce((sum, byte) => (Math.imul(sum, FACTOR) + byte) | 0, 0);
      const slot = slotOf(hash);
      this.#table[slot >>> 3] = (this.#table[slot >>> 3] ?? 0) | (1 << (slot & 7));
      const places = this.#places.get(hash) ?? [];
      places.push({ needle, offset });
      this.#places.set(hash, places);
    }
  }

  /** The hits in a layer, without those that lie within others. */
  find(layer: Layer): Hit[] {
    const { length } = layer.bytes;
    if (this.#places.size === 0 || length < SHORTEST_SEARCHED) return [];
    if (this.#bytes.length < length) {
      this.#bytes = new Uint8Array(2 * length);
      this.#at = new Int32Array(2 * length);
    }
    const candidates = this.#candidatesIn(layer.bytes);
    return candidates.length === 0 ? [] : this.#hitsAt(candidates, layer);
  }

  /** Where the window of a needle may begin; leaves the filtered bytes, ended by one that no needle holds. */
  #candidatesIn(bytes: Uint8Array): (readonly [at: number, hash: number])[] {
    const [by, kept, places, table] = [this.#filter, this.#bytes, this.#at, this.#table];
    const candidates: (readonly [number, number])[] = [];
    let count = 0;
    let hash = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = by[bytes[at] as number] as number;
      if (byte === 0) continue;
      hash = (Math.imul(hash, FACTOR) + byte) | 0;
      if (count >= SHORTEST_SEARCHED) hash = (hash - Math.imul(kept[count - SHORTEST_SEARCHED] as number, LEAVING)) | 0;
      kept[count] = byte;
      places[count++] = at;
      const slot = slotOf(hash);
      if (count >= SHORTEST_SEARCHED && ((table[slot >>> 3] as number) & (1 << (slot & 7))) !== 0)
        candidates.push([count - SHORTEST_SEARCHED, hash]);
    }
    kept[count] = 0;
    return candidates;
  }

  #hitsAt(candidates: Iterable<readonly [at: number, hash: number]>, layer: Layer): Hit[] {
    const hits: Hit[] = [];
    let searchedTo = 0;
    for (const [at, hash] of candidates) {
      if (at + SHORTEST_SEARCHED <= searchedTo) continue;
      const found = (this.#places.get(hash) ?? []).flatMap((place) => this.#hitAt(at, place, layer));
      const longest = found.toSorted((a, b) => b.hit.length - a.hit.length)[0];
      if (!longest) continue;
      hits.push(longest.hit);
      searchedTo = longest.to;
    }
    return hits;
  }

  /** The longest piece of a needle around a window of it, if it is long enough. */
  #hitAt(at: number, { needle, offset }: Place, layer: Layer): readonly { hit: Hit; to: number }[] {
    let [before, after] = [0, 0];
    while (before < Math.min(offset, at) && needle[offset - before - 1] === this.#bytes[at - before - 1]) before++;
    while (offset + after < needle.length && needle[offset + after] === this.#bytes[at + after]) after++;
    const length = before + after;
    const isPiece = length >= Math.min(SHORTEST_PIECE, needle.length);
    const piece = needle.subarray(offset - before, offset + after);
    if (!isPiece || after < SHORTEST_SEARCHED || new Set(piece).size < FEWEST_DIFFERENT) return [];
    const { starts, ends, isInPlace } = layer;
    const edges = [this.#at[at - before] as number, this.#at[at + after - 1] as number];
    const hit = {
      start: Math.min(...edges.map((edge) => starts[edge] as number)),
      end: Math.max(...edges.map((edge) => ends[edge] as number)),
      before: offset - before,
      after: needle.length - offset - after,
      length,
      isInPlace,
    };
    return [{ hit, to: at + after }];
  }
}

function slotOf(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> (32 - TABLE_BITS);
}
