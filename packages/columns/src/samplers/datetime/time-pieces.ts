import type { CivilTime } from './civil-time.ts';

/** A part of a printed time, as the bytes of its UTF-8. */
export interface TimePiece {
  /** As many bytes as it may have. */
  readonly maxBytes: number;
  /** Writes it for a time, and gives the place behind it. */
  readonly write: (time: CivilTime, text: Uint8Array, at: number) => number;
}

/** What fills a piece up on its left: zeros or spaces. */
export type Padding = '0' | ' ';

/** The character code of the digit 0. */
const ZERO = 48;
/** The digits and the sign of the first second of the year 1 in seconds from 1970, the longest number there is. */
const LONGEST = 12;
const NO_BYTES = new Uint8Array();

/** A piece that is the same for all times. */
export function literalPiece(literal: string): TimePiece {
  const bytes = Buffer.from(literal);
  return { maxBytes: bytes.length, write: (_, text, at) => copyBytes(bytes, text, at) };
}

/** One of some words. */
export function wordPiece(words: readonly string[], word: (time: CivilTime) => number): TimePiece {
  const all = words.map((one) => Buffer.from(one));
  const maxBytes = Math.max(...all.map(({ length }) => length));
  return { maxBytes, write: (time, text, at) => copyBytes(all[word(time)] ?? NO_BYTES, text, at) };
}

/** A number of at most two digits, filled up to two. */
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

/** A number, filled up to a width. */
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

/** Nearly all years have four digits. */
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

/** Several pieces as one. */
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

/** A piece that is filled up to a width. */
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

/** A few bytes are copied faster one by one. */
function copyBytes(bytes: Uint8Array, text: Uint8Array, at: number): number {
  for (let place = 0; place < bytes.length; place++) text[at + place] = bytes[place] ?? 0;
  return at + bytes.length;
}

/** Text of ASCII. */
function copyText(ascii: string, text: Uint8Array, at: number): number {
  for (let place = 0; place < ascii.length; place++) text[at + place] = ascii.charCodeAt(place);
  return at + ascii.length;
}
