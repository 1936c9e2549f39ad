import { type Layer, LayerWriter } from './layer.ts';

/** The layer from its end to its start. */
export function reversed({ bytes, starts, ends, isInPlace }: Layer): Layer {
  return { bytes: Buffer.from(bytes.toReversed()), starts: starts.toReversed(), ends: ends.toReversed(), isInPlace };
}

/** A number of at most eight digits. */
const NUMBER = /(?<![\da-z])(?:0?[bo])?\d{1,8}(?![\da-z])/gi;
const BASES = [
  { base: 10, digits: /^\d{1,3}$/ },
  { base: 8, digits: /^0?o?[0-7]{2,3}$/i },
  { base: 2, digits: /^(?:0?b)?[01]{6,8}$/i },
];
/** The fewest numbers in a list that can hold a secret. */
const FEWEST = 8;

/** The characters whose codes stand in a layer as a list of numbers, for each base. */
export function listed(layer: Layer): Layer[] {
  if (!hasNumbers(layer.bytes)) return [];
  const numbers = [...layer.bytes.toString('latin1').matchAll(NUMBER)];
  if (numbers.length < FEWEST) return [];
  return BASES.flatMap(({ base, digits }) => {
    const writer = new LayerWriter(layer);
    for (const { 0: number, index } of numbers) {
      const byte = digits.test(number) ? Number.parseInt(number.replace(/^0?[ob]/i, ''), base) : 0;
      if (byte > 0 && byte < 256) writer.add(byte, index, index + number.length);
    }
    const list = writer.layer(false);
    return list.bytes.length < FEWEST ? [] : [list];
  });
}

/** Text that occurs so often may stand between the parts of another. */
const FEWEST_REPEATS = 4;

/**
 * The layer without words that occur again and again, numbers that count upwards and fractions, as in `char 0 is s, char 1
 * is k`. Undefined if there are none.
 */
export function withoutRepeats(layer: Layer): Layer | undefined {
  if (!mayRepeat(layer.bytes)) return undefined;
  readWords(layer.bytes);
  const { count, starts, ends, kinds, isCounted } = words;
  const counts = new Map<number, number>();
  for (let word = 0; word < count; word++) {
    const kind = kinds[word] as number;
    if (kind !== INTEGER) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  let writer: LayerWriter | undefined;
  let [done, removed] = [0, 0];
  for (let word = 0; word < count; word++) {
    if (isCounted[word] === 0 && (counts.get(kinds[word] as number) ?? 0) < FEWEST_REPEATS) continue;
    writer ??= new LayerWriter(layer);
    removed++;
    writer.copy(done, starts[word] as number);
    done = ends[word] as number;
  }
  if (writer === undefined || removed < FEWEST_REPEATS) return undefined;
  writer.copy(done, layer.bytes.length);
  return writer.layer(layer.isInPlace);
}

/** The kind of an integer, of which each is one of its own, and of a fraction. Any other kind is the hash of a word. */
const [INTEGER, FRACTION] = [0, 1];
const [LETTER, DIGIT] = [1, 2];
const [ZERO, DOT, LETTER_E] = [0x30, 0x2e, 0x65];

/** Words of two letters or more, and numbers with the letters in front of them and a sign behind them. */
class Words {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly kinds: Int32Array;
  /** Whether a number is part of a row that counts upwards by one. */
  readonly isCounted: Uint8Array;
  /** For each number of a row the one before, and how many there are up to it. */
  readonly before: Int32Array;
  readonly rows: Int32Array;
  count = 0;

  constructor(most: number) {
    [this.starts, this.ends, this.kinds, this.before, this.rows] = Array.from(
      { length: 5 },
      () => new Int32Array(most),
    ) as [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array];
    this.isCounted = new Uint8Array(most);
  }
}

/** The words of one layer at a time, kept as they are large. */
let words = new Words(1024);

function readWords(bytes: Uint8Array): void {
  if (words.starts.length < bytes.length) words = new Words(2 * bytes.length);
  words.count = 0;
  /** For each number with a sign that comes next in a row the last one of that row. */
  const next = new Map<number, number>();
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    const letters = endOf(bytes, start, LETTER);
    if (letters < bytes.length && KINDS[bytes[letters] as number] === DIGIT) {
      end = readNumber(bytes, { start, digits: letters, next });
    } else if (letters - start > 1) addWord(start, (end = letters), hashOf(bytes, start, letters));
    else end = Math.max(letters, start + 1);
  }
}

/** Where the bytes of a kind that begin at a place end. */
function endOf(bytes: Uint8Array, from: number, kind: number): number {
  let at = from;
  while (at < bytes.length && KINDS[bytes[at] as number] === kind) at++;
  return at;
}

function addWord(start: number, end: number, kind: number): number {
  const word = words.count++;
  words.starts[word] = start;
  words.ends[word] = end;
  words.kinds[word] = kind;
  words.isCounted[word] = 0;
  return word;
}

/** A number for a word in any case; none of the other kinds. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ ((bytes[at] as number) | 0x20), 0x01000193);
  return hash === INTEGER || hash === FRACTION ? -1 : hash;
}

/** Adds a number. The numbers before the same sign form a row; other numbers may stand between them. Returns its end. */
function readNumber(
  bytes: Uint8Array,
  { start, digits, next }: { readonly start: number; readonly digits: number; readonly next: Map<number, number> },
): number {
  let end = endOf(bytes, digits, DIGIT);
  const decimals = bytes[end] === DOT ? endOf(bytes, end + 1, DIGIT) : end;
  const isFraction = decimals > end + 1;
  let value = 0;
  for (let at = digits; at < end; at++) value = 10 * value + (bytes[at] as number) - ZERO;
  if (isFraction) end = endOfExponent(bytes, decimals);
  const sign = end < bytes.length && KINDS[bytes[end] as number] === 0 ? (bytes[end++] as number) : -1;
  const word = addWord(start, end, isFraction ? FRACTION : INTEGER);
  if (!isFraction) addToRow(word, next, 257 * value + sign);
  return end;
}

function endOfExponent(bytes: Uint8Array, at: number): number {
  if (((bytes[at] ?? 0) | 0x20) !== LETTER_E) return at;
  const isSigned = bytes[at + 1] === 0x2b || bytes[at + 1] === 0x2d;
  const digits = at + (isSigned ? 2 : 1);
  const end = endOf(bytes, digits, DIGIT);
  return end > digits ? end : at;
}

function addToRow(word: number, next: Map<number, number>, key: number): void {
  const { before, rows, isCounted } = words;
  const last = next.get(key);
  if (last !== undefined) next.delete(key);
  next.set(key + 257, word);
  before[word] = last ?? -1;
  const length = last === undefined ? 1 : (rows[last] as number) + 1;
  rows[word] = length;
  if (length < FEWEST_REPEATS) return;
  // At the fourth number the three before it count too.
  for (let one = word; one >= 0 && isCounted[one] === 0; one = before[one] as number) isCounted[one] = 1;
}

/** For each byte what it is in a word: 1 for a letter, 2 for a digit, 0 for what ends one. Letters count in any case. */
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return /[a-z]/i.test(character) ? 1 : Number(/\d/.test(character)) * 2;
});
/** What may stand before the digits of a number in base 2 or 8. */
const NUMBER_MARKS = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[bo]/i.test(String.fromCharCode(byte))));
const SLOTS = 1024;
const [lastAt, distances, repeats, expected] = [
  new Int32Array(SLOTS),
  new Int32Array(SLOTS),
  new Uint8Array(SLOTS),
  new Uint8Array(SLOTS),
];

/**
 * Whether a word of some bytes occurs again and again with as many words between, or numbers count upwards: a quick look
 * that most texts do not pass.
 */
function mayRepeat(bytes: Uint8Array): boolean {
  for (const table of [lastAt, distances, repeats, expected]) table.fill(0);
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    const kind = KINDS[bytes[at] as number] as number;
    if (kind === 0) continue;
    let [value, end] = [0, at];
    for (; end < bytes.length && KINDS[bytes[end] as number] === kind; end++) {
      const byte = bytes[end] as number;
      value = kind === 2 ? (10 * value + byte - 0x30) | 0 : (Math.imul(value, 31) + (byte | 0x20)) | 0;
    }
    const slot = value & (SLOTS - 1);
    count++;
    if (kind === 2) {
      const row = (expected[slot] as number) + 1;
      if (row >= FEWEST_REPEATS) return true;
      expected[slot] = 0;
      expected[(value + 1) & (SLOTS - 1)] = row;
    } else if (end - at > 1) {
      const distance = count - (lastAt[slot] as number);
      const times = distance === distances[slot] ? (repeats[slot] as number) + 1 : 0;
      if (times >= FEWEST_REPEATS - 1) return true;
      repeats[slot] = times;
      distances[slot] = distance;
      lastAt[slot] = count;
    }
    at = end - 1;
  }
  return false;
}

/** Whether enough numbers stand in some bytes, not within words. Letters such as those of `0b01` may stand before one. */
function hasNumbers(bytes: Uint8Array): boolean {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    let any = 0;
    const start = at;
    for (; at < bytes.length; at++) {
      const kind = KINDS[bytes[at] as number] as number;
      if (kind === 0) break;
      any |= kind;
    }
    if (any === 0) continue;
    const isNumber = any === DIGIT || NUMBER_MARKS[bytes[start + (bytes[start] === ZERO ? 1 : 0)] as number] === 1;
    if (isNumber && ++count >= FEWEST) return true;
  }
  return false;
}
