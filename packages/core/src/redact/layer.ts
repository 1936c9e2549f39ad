/**
 * A text in one stage of decoding: its bytes, and for each byte the part of the text, from `starts` up to `ends`, that
 * holds it.
 */
export interface Layer {
  readonly bytes: Buffer;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Whether every character was decoded where it stands, so that neighbours in the text are neighbours here. */
  readonly isInPlace: boolean;
}

let numbers = new Int32Array(0);

/** The numbers from 0 up to a count. */
function numbersTo(count: number): Int32Array {
  if (numbers.length < count) numbers = Int32Array.from({ length: 2 * count }, (_, index) => index);
  return numbers.subarray(0, count);
}

/** Characters without a look of their own. */
const UNSEEN = /^[\p{Cf}\p{Z}\p{Mn}\p{Me}]$/u;

/** Tag characters repeat ASCII unseen. */
const TAGS = 0xe0000;

/** A character in compatibility form. */
function visible(character: string): string {
  const tag = (character.codePointAt(0) ?? 0) - TAGS;
  if (tag > 0x20 && tag < 0x7f) return String.fromCharCode(tag);
  return UNSEEN.test(character) ? ' ' : character.normalize('NFKC');
}

const ASCII = /^[\0-\x7f]*$/;

/** A byte between parts that are no neighbours; no secret holds it. */
export const BARRIER = 1;

/** A text as UTF-8 in compatibility form, in which wide and styled letters are plain ones. */
export function layerOf(text: string): Layer {
  if (!ASCII.test(text)) return layerOfCharacters(text);
  const length = text.length;
  const bounds = numbersTo(length + 1);
  return {
    bytes: Buffer.from(text, 'latin1'),
    starts: bounds.subarray(0, length),
    ends: bounds.subarray(1),
    isInPlace: true,
  };
}

function layerOfCharacters(text: string): Layer {
  const plain = new Map<string, Buffer>();
  const pieces: Buffer[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const character of text) {
    const bytes = plain.get(character) ?? Buffer.from(visible(character));
    plain.set(character, bytes);
    pieces.push(bytes);
    for (let count = bytes.length; count > 0; count--) {
      starts.push(at);
      ends.push(at + character.length);
    }
    at += character.length;
  }
  return {
    bytes: Buffer.concat(pieces),
    starts: Int32Array.from(starts),
    ends: Int32Array.from(ends),
    isInPlace: true,
  };
}

/** Builds a layer byte by byte. A decoded form is never longer than what it was decoded from. */
export class LayerWriter {
  readonly #from: Layer;
  readonly #bytes: Buffer;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  #length = 0;

  constructor(from: Layer) {
    const { length } = from.bytes;
    this.#from = from;
    this.#bytes = Buffer.allocUnsafe(length);
    this.#starts = new Int32Array(length);
    this.#ends = new Int32Array(length);
  }

  /** Copies bytes of the layer before. */
  copy(start: number, end: number): void {
    this.#bytes.set(this.#from.bytes.subarray(start, end), this.#length);
    this.#starts.set(this.#from.starts.subarray(start, end), this.#length);
    this.#ends.set(this.#from.ends.subarray(start, end), this.#length);
    this.#length += end - start;
  }

  /** Adds a byte that the bytes from `start` up to `end` of the layer before stand for. */
  add(byte: number, start: number, end: number): void {
    this.#bytes[this.#length] = byte;
    this.#starts[this.#length] = this.#from.starts[start] ?? 0;
    this.#ends[this.#length++] = this.#from.ends[end - 1] ?? 0;
  }

  layer(isInPlace: boolean): Layer {
    const [bytes, starts, ends] = [this.#bytes, this.#starts, this.#ends].map((part) =>
      part.subarray(0, this.#length),
    ) as [Buffer, Int32Array, Int32Array];
    return { bytes, starts, ends, isInPlace };
  }
}
