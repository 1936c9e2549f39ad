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

/** The bytes that are compared at once. A piece of `SHORTEST_SEARCHED` bytes holds one at each fifth position. */
const GRAM = 4;
const STRIDE = SHORTEST_SEARCHED - GRAM + 1;
/** A row of one character, such as of zeros, is looked up at so many of its places. */
const MOST_PLACES = 64;
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
    for (let offset = 0; offset + GRAM <= needle.length; offset++) {
      const gram = gramAt(needle, offset);
      const slot = slotOf(gram);
      this.#table[slot >>> 3] = (this.#table[slot >>> 3] ?? 0) | (1 << (slot & 7));
      const places = this.#places.get(gram) ?? [];
      if (places.length < MOST_PLACES) places.push({ needle, offset });
      this.#places.set(gram, places);
    }
  }

  /** The hits in a layer, without those that lie within others. */
  find(layer: Layer): Hit[] {
    const { length } = layer.bytes;
    if (this.#places.size === 0 || length < SHORTEST_SEARCHED) return [];
    if (this.#bytes.length <= length) {
      this.#bytes = new Uint8Array(2 * length + 1);
      this.#at = new Int32Array(2 * length + 1);
    }
    const candidates = this.#candidatesIn(layer.bytes);
    if (candidates.length === 0) return [];
    this.#readPlaces(layer.bytes);
    return this.#hitsAt(candidates, layer);
  }

  /** Where a part of a needle stands; leaves the filtered bytes, ended by one that no needle holds. */
  #candidatesIn(bytes: Uint8Array): readonly number[] {
    const [by, kept, table] = [this.#filter, this.#bytes, this.#table];
    const candidates: number[] = [];
    let count = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = by[bytes[at] as number] as number;
      kept[count] = byte;
      if (byte !== 0) count++;
    }
    for (let at = 0; at + GRAM <= count; at += STRIDE) {
      const slot = slotOf(gramAt(kept, at));
      if (((table[slot >>> 3] as number) & (1 << (slot & 7))) !== 0) candidates.push(at);
    }
    kept[count] = 0;
    return candidates;
  }

  /** Reads where the filtered bytes stand in the layer. */
  #readPlaces(bytes: Uint8Array): void {
    let count = 0;
    for (let at = 0; at < bytes.length; at++) if (this.#filter[bytes[at] as number] !== 0) this.#at[count++] = at;
  }

  #hitsAt(candidates: Iterable<number>, layer: Layer): Hit[] {
    const hits: Hit[] = [];
    let searchedTo = 0;
    for (const at of candidates) {
      if (at + GRAM <= searchedTo) continue;
      const places = this.#places.get(gramAt(this.#bytes, at)) ?? [];
      const found = places.flatMap((place) => this.#hitAt(at, place, layer));
      const longest = found.toSorted((a, b) => b.hit.length - a.hit.length)[0];
      if (!longest) continue;
      hits.push(longest.hit);
      searchedTo = longest.to;
    }
    return hits;
  }

  /** The longest piece of a needle around a part of it, if it is long enough. */
  #hitAt(at: number, { needle, offset }: Place, layer: Layer): readonly { hit: Hit; to: number }[] {
    let [before, after] = [0, 0];
    while (before < Math.min(offset, at) && needle[offset - before - 1] === this.#bytes[at - before - 1]) before++;
    while (offset + after < needle.length && needle[offset + after] === this.#bytes[at + after]) after++;
    const length = before + after;
    const isPiece = length >= Math.min(SHORTEST_PIECE, needle.length);
    const piece = needle.subarray(offset - before, offset + after);
    if (!isPiece || new Set(piece).size < FEWEST_DIFFERENT) return [];
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

/** Four bytes as one number. */
function gramAt(bytes: Uint8Array, at: number): number {
  const [a, b, c, d] = [bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0, bytes[at + 3] ?? 0];
  return a | (b << 8) | (c << 16) | (d << 24);
}

function slotOf(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> (32 - TABLE_BITS);
}
