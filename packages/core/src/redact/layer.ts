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
  if (numbers.length < count) {
    numbers = new Int32Array(2 * count);
    for (let number = 0; number < numbers.length; number++) numbers[number] = number;
  }
  return numbers.subarray(0, count);
}

/** Characters without a look of their own. */
const UNSEEN = /^[\p{Cf}\p{Z}\p{Mn}\p{Me}]$/u;

/** Tag characters repeat ASCII unseen. */
const TAGS = 0xe0000;

/** Letters of other scripts, each before the letter or digit that it looks like. */
const LOOKALIKES = new Map(
  (
    'аaАAвbВBЬbсcСCԁdᎠDеeЕEғfԌGһhНHіiІIјjЈJкkКKӏlоoОOрpРPԛqгrѕsЅSтtТTуyУYүyҮYѵvԝwхxХXмmМMпnЗ3з3б6' +
    'αaΑAΒBβbϲcΕEεeΗHηnΙIιiκkΚKΜMνvΝNοoΟOρpΡPΤTτtυuΥYχxΧXΖZωw' +
    'ɑaᴀaʙbᴄcᴅdᴇeꜰfɡgɢgʜhıiɪiȷjᴊjᴋkʟlᴍmɴnᴏoᴘpꞯqʀrꜱsᴛtᴜuᴠvᴡwʏyᴢzøoØOłlŁLđdĐDħhĦHŧtŦT‐-‑-‒-–-—-―-−-⁄/∕/'
  )
    .match(/../gsu)
    ?.map((pair) => Array.from(pair) as [string, string]),
);
/** Where letters, or bytes, stand in one row: flags, letters in dark circles and squares, and Braille. */
const ROWS = [
  { first: 0x1f1e6, count: 26, to: 0x41 },
  { first: 0x1f150, count: 26, to: 0x41 },
  { first: 0x1f170, count: 26, to: 0x41 },
  { first: 0x2800, count: 0x80, to: 0 },
  { first: 0xe0100, count: 0x70, to: 0x10 },
];

/** The ASCII character that a character outside ASCII looks like or stands for; itself in compatibility form if none. */
function lookalike(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const row = ROWS.find(({ first, count }) => code >= first && code < first + count);
  if (row) return String.fromCharCode(code - row.first + row.to);
  const plain = LOOKALIKES.get(character) ?? visible(character);
  if (ASCII.test(plain)) return plain;
  const bare = plain.normalize('NFD').replace(/\p{M}/gu, '');
  return LOOKALIKES.get(bare) ?? (ASCII.test(bare) ? bare : plain);
}

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
  if (!ASCII.test(text)) return layerOfCharacters(text, visible);
  const length = text.length;
  const bounds = numbersTo(length + 1);
  return {
    bytes: Buffer.from(text, 'latin1'),
    starts: bounds.subarray(0, length),
    ends: bounds.subarray(1),
    isInPlace: true,
  };
}

/** A text in which letters of other scripts are the ASCII letters that they look like; undefined if it is in ASCII. */
export function layerOfLookalikes(text: string): Layer | undefined {
  return ASCII.test(text) ? undefined : layerOfCharacters(text, lookalike);
}

function layerOfCharacters(text: string, plainOf: (character: string) => string): Layer {
  const plain = new Map<string, Buffer>();
  const pieces: Buffer[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const character of text) {
    const bytes = plain.get(character) ?? Buffer.from(plainOf(character));
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
