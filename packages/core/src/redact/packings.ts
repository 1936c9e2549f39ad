/** An encoding of bytes in characters of a few bits each. */
export interface Packing {
  readonly bits: 1 | 4 | 5 | 6;
  /** How many positions the first character may have within a group of bytes. */
  readonly shifts: number;
  /** The value of each character code; -1 for one that does not count. */
  readonly values: Int8Array;
  /** Marks the characters that ordinary words have few of: so many `signs` are in every `window` of an encoded text. */
  readonly isSign: Uint8Array;
  readonly signs: number;
  /** The number of neighbouring characters whose signs count; a whole shorter text. */
  readonly window: number;
  /**
   * How characters stand in words; absent where any count. `marks` are letters of numbers, as in `0x73`. A word with any
   * other letter does not count, nor does one of both cases or of small letters alone if `isOneCase`.
   */
  readonly words?: { readonly marks: Uint8Array; readonly isOneCase: boolean };
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';

function valuesOf(...alphabets: readonly string[]): Int8Array {
  const values = new Int8Array(256).fill(-1);
  for (const alphabet of alphabets)
    for (const [value, character] of Array.from(alphabet).entries()) values[character.charCodeAt(0)] = value;
  return values;
}

function signsOf(characters: string): Uint8Array {
  const isSign = new Uint8Array(256);
  for (const character of characters) isSign[character.charCodeAt(0)] = 1;
  return isSign;
}

/** Base64, base32 in both alphabets, hexadecimal and binary numbers. */
export const PACKINGS: readonly Packing[] = [
  {
    bits: 6,
    shifts: 4,
    values: valuesOf(`${UPPER}${LOWER}${DIGITS}+/`, `${UPPER}${LOWER}${DIGITS}-_`),
    isSign: signsOf(`${UPPER}${DIGITS}+/-_`),
    signs: 3,
    window: 11,
  },
  {
    bits: 5,
    shifts: 8,
    values: valuesOf(`${UPPER}234567`, `${LOWER}234567`),
    isSign: signsOf('234567'),
    signs: 0,
    window: 26,
    words: { marks: signsOf(''), isOneCase: true },
  },
  {
    bits: 5,
    shifts: 8,
    values: valuesOf(`${DIGITS}${UPPER}`.slice(0, 32), `${DIGITS}${LOWER}`.slice(0, 32)),
    isSign: signsOf(DIGITS),
    signs: 2,
    window: 26,
    words: { marks: signsOf(''), isOneCase: true },
  },
  {
    bits: 4,
    shifts: 2,
    values: valuesOf(`${DIGITS}ABCDEF`, `${DIGITS}abcdef`),
    isSign: signsOf(DIGITS),
    signs: 8,
    window: 16,
    words: { marks: signsOf('xuhXUH'), isOneCase: false },
  },
  {
    bits: 1,
    shifts: 8,
    values: valuesOf('01'),
    isSign: signsOf('01'),
    signs: 64,
    window: 64,
    words: { marks: signsOf('bB'), isOneCase: false },
  },
];
