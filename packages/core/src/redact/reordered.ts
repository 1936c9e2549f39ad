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

/** Words, and numbers with the letters in front of them and a sign behind them. */
const WORD = /[a-z]{2,}(?![a-z\d])|[a-z]*(\d+(?:\.\d+(?:e[+-]?\d+)?)?)([^a-z\d]?)/gi;
/** Text that occurs so often may stand between the parts of another. */
const FEWEST_REPEATS = 4;

/**
 * The layer without words that occur again and again, numbers that count upwards and fractions, as in `char 0 is s, char 1
 * is k`. Undefined if there are none.
 */
export function withoutRepeats(layer: Layer): Layer | undefined {
  if (!mayRepeat(layer.bytes)) return undefined;
  const words = [...layer.bytes.toString('latin1').matchAll(WORD)];
  const counts = Map.groupBy(words, kindOf);
  const counted = new Set(countingIn(words));
  const removed = words.filter(
    (word) => counted.has(word) || (counts.get(kindOf(word))?.length ?? 0) >= FEWEST_REPEATS,
  );
  if (removed.length < FEWEST_REPEATS) return undefined;
  const writer = new LayerWriter(layer);
  let done = 0;
  for (const { 0: word, index } of removed) {
    writer.copy(done, index);
    done = index + word.length;
  }
  writer.copy(done, layer.bytes.length);
  return writer.layer(layer.isInPlace);
}

/** For each byte what it is in a word: 1 for a letter, 2 for a digit, 0 for what ends one. Letters count in any case. */
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return /[a-z]/i.test(character) ? 1 : Number(/\d/.test(character)) * 2;
});
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

/** Fractions are of one kind; each integer is of its own, as the characters of a secret are. */
function kindOf({ 0: word, 1: number, index }: RegExpExecArray): string | number {
  if (number === undefined) return word.toLowerCase();
  return number.includes('.') ? '.' : -index - 1;
}

/** The numbers before the same sign in rows that count upwards by one; other numbers may stand between them. */
function countingIn(words: readonly RegExpExecArray[]): readonly RegExpExecArray[] {
  const rows = new Map<string, RegExpExecArray[]>();
  const all: RegExpExecArray[][] = [];
  for (const word of words) {
    const [, number = '', sign = ''] = word;
    if (!/^\d+$/.test(number)) continue;
    const row = rows.get(`${Number(number)}${sign}`) ?? [];
    rows.delete(`${Number(number)}${sign}`);
    rows.set(`${Number(number) + 1}${sign}`, row);
    if (row.push(word) === FEWEST_REPEATS) all.push(row);
  }
  return all.flat();
}

/** Whether enough numbers begin in some bytes. */
function hasNumbers(bytes: Uint8Array): boolean {
  let count = 0;
  let wasDigit = false;
  for (const byte of bytes) {
    const isDigit = byte >= 0x30 && byte <= 0x39;
    if (isDigit && !wasDigit && ++count >= FEWEST) return true;
    wasDigit = isDigit;
  }
  return false;
}
