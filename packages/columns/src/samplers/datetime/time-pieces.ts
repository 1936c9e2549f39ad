import type { CivilTime } from './civil-time.ts';

/** A part of a printed time, as the bytes of its UTF-8. */
export interface TimePiece {
  /** As many bytes as it may have. */
  readonly most: number;
  /** Writes it for a time, and gives the place behind it. */
  readonly write: (time: CivilTime, text: Uint8Array, at: number) => number;
}

/** What fills a piece up on its left: zeros or spaces. */
export type Filling = '0' | ' ';

/** The character code of the digit 0. */
const ZERO = 48;
/** The digits and the sign of the first second of the year 1 in seconds from 1970, the longest number there is. */
const LONGEST = 12;
const NO_BYTES = new Uint8Array();

/** A piece that is the same for all times. */
export function literalPiece(literal: string): TimePiece {
  const bytes = Buffer.from(literal);
  return { most: bytes.length, write: (_, text, at) => copyBytes(bytes, text, at) };
}

/** One of some words. */
export function wordPiece(words: readonly string[], word: (time: CivilTime) => number): TimePiece {
  const all = words.map((one) => Buffer.from(one));
  const most = Math.max(...all.map(({ length }) => length));
  return { most, write: (time, text, at) => copyBytes(all[word(time)] ?? NO_BYTES, text, at) };
}

/** A number of at most two digits, filled up to two. */
export function twoDigitsPiece(number: (time: CivilTime) => number, filling: Filling): TimePiece {
  const fill = filling.charCodeAt(0);
  return {
    most: 2,
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
export function numberPiece(number: (time: CivilTime) => number, width: number, filling: Filling): TimePiece {
  const digits: TimePiece = {
    most: LONGEST,
    write: (time, text, at) => {
      const value = number(time);
      return value >= 1000 && value <= 9999 ? writeYear(value, text, at) : copyText(String(value), text, at);
    },
  };
  return filledPiece(digits, width, filling);
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
    most: pieces.reduce((sum, { most }) => sum + most, 0),
    write: (time, text, at) => {
      let end = at;
      for (const write of writes) end = write(time, text, end);
      return end;
    },
  };
}

/** A piece that is filled up to a width. */
export function filledPiece(piece: TimePiece, width: number, filling: Filling): TimePiece {
  if (width <= 1) return piece;
  const fill = filling.charCodeAt(0);
  return {
    most: Math.max(piece.most, width),
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
