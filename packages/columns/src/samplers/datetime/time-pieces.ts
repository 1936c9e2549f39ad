import type { CivilTime } from './civil-time.ts';

/** A part of a printed time, as UTF-8 bytes. */
export interface TimePiece {
  readonly maxBytes: number;
  /** Writes the piece at an offset and returns the offset after it. */
  readonly write: (time: CivilTime, text: Uint8Array, at: number) => number;
}

/** Pads a piece on its left. */
export type Padding = '0' | ' ';

/** The character code of the digit 0. */
const ZERO = 48;
/** The digits and the sign of the longest number: the first second of the year 1, since 1970. */
const LONGEST = 12;
const NO_BYTES = new Uint8Array();

/** Fixed text. */
export function literalPiece(literal: string): TimePiece {
  const bytes = Buffer.from(literal);
  return { maxBytes: bytes.length, write: (_, text, at) => copyBytes(bytes, text, at) };
}

/** A word by its index. */
export function wordPiece(words: readonly string[], word: (time: CivilTime) => number): TimePiece {
  const all = words.map((one) => Buffer.from(one));
  const maxBytes = Math.max(...all.map(({ length }) => length));
  return { maxBytes, write: (time, text, at) => copyBytes(all[word(time)] ?? NO_BYTES, text, at) };
}

/** A number below 100, padded to two digits. */
export function twoDigitsPiece(number: (time: CivilTime) => number, padding: Padding): TimePiece {
  const fill = padding.charCodeAt(0);
  return {
    maxBytes: 2,
    write: (time, text, at) => {
      const value = number(time);
      const tens = (value / 10) | 0;
      text[at] = tens === 0 ? fill : ZERO + tens;
      text[at + 1] = ZERO + value - 10 * tens;
      return at + 2;
    },
  };
}

/** A number, padded to a width. */
export function numberPiece(number: (time: CivilTime) => number, width: number, padding: Padding): TimePiece {
  const digits: TimePiece = {
    maxBytes: LONGEST,
    write: (time, text, at) => {
      const value = number(time);
      return value >= 1000 && value <= 9999 ? writeYear(value, text, at) : copyText(String(value), text, at);
    },
  };
  return paddedPiece(digits, width, padding);
}

/** A fast path: nearly all years have four digits. */
function writeYear(year: number, text: Uint8Array, at: number): number {
  const tens = (year / 10) | 0;
  const hundreds = (year / 100) | 0;
  const thousands = (year / 1000) | 0;
  text[at] = ZERO + thousands;
  text[at + 1] = ZERO + hundreds - 10 * thousands;
  text[at + 2] = ZERO + tens - 10 * hundreds;
  text[at + 3] = ZERO + year - 10 * tens;
  return at + 4;
}

/** Concatenates pieces. */
export function joinedPieces(pieces: readonly TimePiece[]): TimePiece {
  const writes = pieces.map(({ write }) => write);
  return {
    maxBytes: pieces.reduce((sum, { maxBytes }) => sum + maxBytes, 0),
    write: (time, text, at) => {
      let end = at;
      for (const write of writes) end = write(time, text, end);
      return end;
    },
  };
}

/** Pads a piece to a width. */
export function paddedPiece(piece: TimePiece, width: number, padding: Padding): TimePiece {
  if (width <= 1) return piece;
  const fill = padding.charCodeAt(0);
  return {
    maxBytes: Math.max(piece.maxBytes, width),
    write: (time, text, at) => {
      const end = piece.write(time, text, at);
      const missing = at + width - end;
      if (missing <= 0) return end;
      text.copyWithin(at + missing, at, end);
      text.fill(fill, at, at + missing);
      return at + width;
    },
  };
}

/** A loop copies a few bytes faster than `set`. */
function copyBytes(bytes: Uint8Array, text: Uint8Array, at: number): number {
  for (let place = 0; place < bytes.length; place++) text[at + place] = bytes[place] ?? 0;
  return at + bytes.length;
}

/** Copies ASCII text. */
function copyText(ascii: string, text: Uint8Array, at: number): number {
  for (let place = 0; place < ascii.length; place++) text[at + place] = ascii.charCodeAt(place);
  return at + ascii.length;
}
