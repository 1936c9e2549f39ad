import { BARRIER, type Layer } from './layer.ts';
import { type Packing, PACKINGS } from './packings.ts';

/** What each byte is in decoded text: 0 for none, 1 for a character, 2 for one that does not count. */
export type TextBytes = Uint8Array;

/** The fewest characters of decoded text that can hold a secret. */
const SHORTEST_RUN = 8;
/** The fewest characters of encoded text that hold a secret. */
export const SHORTEST_ENCODED = 11;
/** The fewest characters that count although other letters stand in their word. */
const SHORTEST_PART = 8;
const ZERO = 0x30;

/** Buffers for one layer at a time, kept as they are large. */
class Scratch {
  /** The values of the symbols of a packing, and where they stand in the layer. */
  readonly values: Uint8Array;
  readonly at: Int32Array;
  count = 0;
  /** Decoded bytes, and where the first and the last symbol of each stand. Each symbol is part of ten bytes at most. */
  readonly bytes: Uint8Array;
  readonly first: Int32Array;
  readonly last: Int32Array;
  size = 0;
  /** The characters of the longest run. */
  longest = 0;

  constructor(most: number) {
    this.values = new Uint8Array(most);
    this.at = new Int32Array(most);
    this.bytes = new Uint8Array(11 * most);
    this.first = new Int32Array(11 * most);
    this.last = new Int32Array(11 * most);
  }
}

let scratch = new Scratch(1024);

/** What a layer holds in base64 and its like: for each packing one layer of the runs of text that it holds. */
export interface UnpackedLayers {
  /** Layers that may hold encoded text themselves. */
  readonly long: readonly Layer[];
  readonly short: readonly Layer[];
}

/** Decodes base64 and its like, whatever stands between the characters. */
export function unpacked(layer: Layer, text: TextBytes): UnpackedLayers {
  const { bytes } = layer;
  if (scratch.at.length < bytes.length) scratch = new Scratch(2 * bytes.length);
  const [long, short]: [Layer[], Layer[]] = [[], []];
  const words = readWords(bytes);
  for (let number = 0; number < PACKINGS.length; number++) {
    const packing = PACKINGS[number] as Packing;
    scratch.count = scratch.size = scratch.longest = 0;
    if (packing.words === undefined) readSymbols(words.withoutHex, packing.values);
    else readSymbolsInWords(bytes, words, { packing, flag: 1 << number });
    if (scratch.count >= SHORTEST_RUN) decodeSegments(bytes, packing, text);
    if (scratch.size > 0) (scratch.longest < SHORTEST_ENCODED ? short : long).push(decodedLayer(layer));
  }
  return { long, short };
}

/**
 * The lines of hexadecimal numbers, such as UUIDs, that ASCII text in their bytes reaches into: the first digits tell.
 * Undefined for lines that hold anything else.
 */
export function hexTextLines(lines: string): string | undefined {
  let [text, to] = ['', 0];
  // How many characters of text may end with the last digit, and with the one before, and where the first of them began.
  let [last, lastStart, before, beforeStart] = [0, 0, 0, 0];
  for (let at = 0; at < lines.length; at++) {
    const code = lines.charCodeAt(at);
    if (code === HYPHEN || code === NEW_LINE) continue;
    if (code > 0xff || ((KINDS[code] as number) & HEX) === 0) return undefined;
    const first = HEX_VALUES[code] as number;
    const length = first > 1 && first < 8 ? before + 1 : first === 0 ? before : 0;
    const start = before === 0 ? at : beforeStart;
    if (length >= SHORTEST_RUN && at >= to) {
      const from = Math.max(to, lines.lastIndexOf('\n', start) + 1);
      // The second digit of the last character may be in the next line.
      const end = lines.indexOf('\n', at + 2);
      to = end === -1 ? lines.length : end + 1;
      text += lines.slice(from, to);
    }
    [before, beforeStart, last, lastStart] = [last, lastStart, length, start];
  }
  return text;
}

const [HYPHEN, NEW_LINE] = [0x2d, 0x0a];

/** Words of so many hexadecimal digits are identifiers and hashes, and hardly ever occur in base64. */
const LONG_HEX = 8;
const SPACE = 0x20;

const [DIGIT, SMALL, CAPITAL, HEX, WORD] = [1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15];
/** For each byte what it may be part of: a flag for each packing by its number, and those above. */
const KINDS = Uint16Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (!/[\da-z]/i.test(character)) return 0;
  const isOf = ({ values, words }: Packing): boolean => (values[byte] as number) >= 0 || words?.marks[byte] === 1;
  const packings = PACKINGS.reduce((flags, packing, number) => flags | (isOf(packing) ? 1 << number : 0), 0);
  const digit = /\d/.test(character) ? DIGIT : 0;
  const hex = /[\da-f]/i.test(character) ? HEX : 0;
  const letter = /[a-z]/.test(character) ? SMALL : /[A-Z]/.test(character) ? CAPITAL : 0;
  return WORD | packings | digit | hex | letter;
});

const HEX_PACKING = PACKINGS.findIndex(({ bits }) => bits === 4);
/** What every character of a hexadecimal number is part of. */
const HEX_NUMBER = 1 << HEX_PACKING;
const HEX_VALUES = (PACKINGS[HEX_PACKING] as Packing).values;

/** The words of a layer. */
interface Words {
  /** For each word its start, its end, the kinds of all its characters, and those of any. */
  readonly parts: readonly number[];
  /** The bytes with spaces in place of hexadecimal identifiers. */
  readonly withoutHex: Uint8Array;
}

/** Finds the words that may be encoded: not those of small letters alone. */
function readWords(bytes: Uint8Array): Words {
  const parts: number[] = [];
  let withoutHex = bytes;
  for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
    let every = 0xffff;
    let any = 0;
    for (end = start; end < bytes.length; end++) {
      const kind = KINDS[bytes[end] as number] as number;
      if (kind === 0) break;
      every &= kind;
      any |= kind;
    }
    if (end === start || (every & (SMALL | HEX_NUMBER)) === SMALL) continue;
    parts.push(start, end, every, any);
    if ((every & HEX) === 0 || end - start < LONG_HEX) continue;
    if (withoutHex === bytes) withoutHex = new Uint8Array(bytes);
    withoutHex.fill(SPACE, start, end);
  }
  return { parts, withoutHex };
}

function readSymbols(bytes: Uint8Array, values: Int8Array): void {
  const { values: kept, at: places } = scratch;
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    const value = values[bytes[at] as number] as number;
    if (value < 0) continue;
    kept[count] = value;
    places[count++] = at;
  }
  scratch.count = count;
}

/** Reads the words of a packing. Of a word with other letters only long parts count. */
function readSymbolsInWords(
  bytes: Uint8Array,
  { parts }: Words,
  { packing: { values, words }, flag }: { packing: Packing; flag: number },
): void {
  for (let word = 0; word < parts.length; word += 4) {
    const [start, end, every, any] = [parts[word], parts[word + 1], parts[word + 2], parts[word + 3]] as [
      number,
      number,
      number,
      number,
    ];
    const length = end - start;
    const isOneCase = (any & (SMALL | CAPITAL)) !== (SMALL | CAPITAL) && (every & SMALL) === 0;
    const isIdentifier = words?.isOneCase === true && (!isOneCase || ((every & HEX) !== 0 && length >= LONG_HEX));
    const shortest = (every & flag) !== 0 && !isIdentifier ? 1 : SHORTEST_PART;
    if (shortest > 1 && (isIdentifier || length < shortest || (any & DIGIT) === 0)) continue;
    readParts(bytes, { start, end, values, shortest });
  }
}

/** Reads the parts of a word that are long enough. */
function readParts(
  bytes: Uint8Array,
  { start, end, values, shortest }: { start: number; end: number; values: Int8Array; shortest: number },
): void {
  for (let from = start, to = start; from < end; from = to + 1) {
    for (to = from; to < end && (values[bytes[to] as number] as number) >= 0; to++);
    // The zero of `0x` is no digit.
    const isPrefix = to === from + 1 && to < end && bytes[from] === ZERO;
    if (to - from < shortest || isPrefix) continue;
    for (let at = from; at < to; at++) {
      scratch.values[scratch.count] = values[bytes[at] as number] as number;
      scratch.at[scratch.count++] = at;
    }
  }
}

/** Decodes the parts of the symbols that look encoded. */
function decodeSegments(bytes: Uint8Array, packing: Packing, text: TextBytes): void {
  const { isSign, signs } = packing;
  const { at, count } = scratch;
  const window = Math.min(packing.window, count);
  let [seen, start, stop] = [0, 0, 0];
  for (let end = 1; end <= count; end++) {
    seen += isSign[bytes[at[end - 1] as number] as number] as number;
    if (end > window) seen -= isSign[bytes[at[end - window - 1] as number] as number] as number;
    if (end < window || seen < signs) continue;
    if (end - window > stop) {
      decode(start, stop, { packing, text });
      start = end - window;
    }
    stop = end;
  }
  decode(start, stop, { packing, text });
}

/** Decodes symbols, forwards and backwards. The first may be at any position within a group of bytes. */
function decode(start: number, end: number, { packing, text }: { packing: Packing; text: TextBytes }): void {
  const count = end - start;
  if (count < SHORTEST_RUN) return;
  const isAscii = text[0x80] === 0;
  for (let shift = 0; shift < packing.shifts; shift++) {
    for (const step of [1, -1] as const) {
      const origin = step === 1 ? start + shift : end - 1 - shift;
      const row = { origin, step, count: count - shift, bits: packing.bits };
      if (!isAscii || mayHoldAscii(row)) addRuns(row, text);
    }
  }
}

/** So many symbols of some bits from `origin` on, in one direction. */
interface Row {
  readonly origin: number;
  readonly step: 1 | -1;
  readonly count: number;
  readonly bits: number;
}

/** The first bit of each byte in symbols of so many bits: its symbol, and its place in that. */
interface FirstBits {
  readonly at: Int32Array;
  readonly masks: Uint8Array;
}

const firstBits = new Map<number, FirstBits>();

function firstBitsIn(count: number, bits: number): FirstBits {
  const known = firstBits.get(bits);
  if (known && known.at.length >= count) return known;
  const at = Int32Array.from({ length: 2 * count }, (_, byte) => Math.floor((8 * byte) / bits));
  const masks = Uint8Array.from(at, (_, byte) => 1 << (bits - 1 - ((8 * byte) % bits)));
  const made = { at, masks };
  firstBits.set(bits, made);
  return made;
}

/**
 * Whether so many neighbouring bytes begin with a zero bit as a run of ASCII text needs: a quick look that most rows do not
 * pass. It looks at the last byte of a run first, and goes on behind the last byte that begins with a one.
 */
function mayHoldAscii({ origin, step, count, bits }: Row): boolean {
  const { values } = scratch;
  const bytes = Math.floor((count * bits) / 8);
  const { at, masks } = firstBitsIn(bytes, bits);
  for (let start = 0; start + SHORTEST_RUN <= bytes;) {
    let byte = start + SHORTEST_RUN - 1;
    while (byte >= start && ((values[origin + step * (at[byte] as number)] as number) & (masks[byte] as number)) === 0)
      byte--;
    if (byte < start) return true;
    start = byte + 1;
  }
  return false;
}

/** Adds the runs of text that symbols hold, with a barrier after each. */
function addRuns(row: Row, text: TextBytes): void {
  const { origin, step, count, bits } = row;
  const { values, bytes } = scratch;
  let [pending, width, weight, length, byteNumber] = [0, 0, 0, 0, 0];
  let runStart = scratch.size;
  for (let number = 0, index = origin; number < count; number++, index += step) {
    pending = (pending << bits) | (values[index] as number);
    width += bits;
    if (width < 8) continue;
    width -= 8;
    const byte = (pending >> width) & 0xff;
    const kind = text[byte] as number;
    byteNumber++;
    if (kind > 0) {
      bytes[runStart + length++] = byte;
      weight += kind & 1;
    } else if (length > 0) {
      if (weight >= SHORTEST_RUN) runStart = endRun(length, 8 * (byteNumber - 1 - length), row);
      length = weight = 0;
    }
  }
  if (weight >= SHORTEST_RUN) endRun(length, 8 * (byteNumber - length), row);
}

/** Keeps a run, which begins at a bit of the row. Returns where the next one begins. */
function endRun(length: number, bit: number, { origin, step, bits }: Row): number {
  const { at, bytes, first, last } = scratch;
  for (let index = 0; index < length; index++) {
    const own = bit + 8 * index;
    first[scratch.size] = at[origin + step * Math.floor(own / bits)] as number;
    last[scratch.size++] = at[origin + step * Math.floor((own + 7) / bits)] as number;
  }
  scratch.longest = Math.max(scratch.longest, length);
  bytes[scratch.size] = BARRIER;
  first[scratch.size] = last[scratch.size] = last[scratch.size - 1] as number;
  return ++scratch.size;
}

function decodedLayer({ starts, ends }: Layer): Layer {
  const { bytes, first, last, size } = scratch;
  const layer = { starts: new Int32Array(size), ends: new Int32Array(size) };
  for (let index = 0; index < size; index++) {
    const [a, b] = [first[index] as number, last[index] as number];
    layer.starts[index] = starts[Math.min(a, b)] as number;
    layer.ends[index] = ends[Math.max(a, b)] as number;
  }
  return { bytes: Buffer.from(bytes.subarray(0, size)), ...layer, isInPlace: false };
}
