import { constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Layer } from './layer.ts';

/** Base64 and hexadecimal text that begins as gzip and zlib do; line breaks may stand within it. */
const BASE64 = String.raw`[\w+/\s-]`;
const HEX = String.raw`(?:[\da-fA-F]\s?)`;
const PACKED = new RegExp(
  String.raw`(H4sI${BASE64}{16,}|(?<![\w+/-])e(?:A[E-H]|F[4-7]|[JN][\w+/-])${BASE64}{12,})|(1[fF]\s?8[bB]\s?08${HEX}{20,}|(?<![\da-fA-F])78\s?(?:01|5[eE]|9[cC]|[dD][aA])${HEX}{16,})`,
  'g',
);
/** How gzip and zlib begin in hexadecimal digits. */
const HEX_HEADER = /1f8b08|78(?:01|5e|9c|da)/i;
/** Shorter words in base64 hold no compressed secret. */
const SHORTEST_WORD = 20;
/** For each byte of base64 a flag, with those of small and large letters, and of what is not hexadecimal. */
const [IN_BASE64, SMALL, CAPITAL, NOT_HEX] = [1, 2, 4, 8];
const MIXED = SMALL | CAPITAL;
const [NEW_LINE, RETURN] = [0x0a, 0x0d];
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (!/[\w+/-]/.test(character)) return 0;
  const letter = /[a-z]/.test(character) ? SMALL : /[A-Z]/.test(character) ? CAPITAL : 0;
  return IN_BASE64 | letter | (/[\da-f]/i.test(character) ? 0 : NOT_HEX);
});
/** The fewest hexadecimal digits that hold a compressed secret. */
const SHORTEST_HEX = 32;
/** The characters that tell whether a word is compressed. */
const LOOKED_AT = 40;
/** What unpacks to more is not searched. */
const MOST_BYTES = 65_536;
/** A text with more parts that look compressed is not searched. */
const MOST_PARTS = 64;

/**
 * What a layer holds compressed with gzip, zlib or deflate, in base64 or hexadecimal numbers; each byte stands for the whole
 * part.
 * Undefined if that is too much to search.
 */
export function inflated(layer: Layer): Layer[] | undefined {
  const matches = [...layer.bytes.toString('latin1').matchAll(PACKED)];
  if (matches.length > MOST_PARTS) return undefined;
  try {
    return [...matches.flatMap((match) => unpackedFrom(match, layer)), ...inflatedWords(layer)];
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** Whether hexadecimal digits, or a UUID, may be compressed text. */
export function isInflatableHex(digits: string): boolean {
  if (HEX_HEADER.test(digits)) return true;
  if (digits.length < SHORTEST_HEX || digits.includes('-')) return false;
  return inflateOf(Buffer.from(digits.slice(0, LOOKED_AT), 'hex')) !== undefined;
}

function unpackedFrom({ 0: found, 1: base64, index }: RegExpExecArray, { starts, ends }: Layer): Layer[] {
  // After a space, the text may go on, or words follow.
  return [found.replace(/\s.*$/s, ''), found].flatMap((part) => {
    const plain = unpack(Buffer.from(part.replace(/\s/g, ''), base64 ? 'base64' : 'hex'));
    return plain ? [placed(plain, { start: starts[index] ?? 0, end: ends[index + part.length - 1] ?? 0 })] : [];
  });
}

function inflatedWords({ bytes, starts, ends }: Layer): Layer[] {
  const layers: Layer[] = [];
  for (let from = 0, to = 0; from < bytes.length; from = to + 1) {
    let kinds = 0;
    for (to = from; to < bytes.length; to++) {
      const kind = KINDS[bytes[to] as number] as number;
      if (kind === 0) break;
      kinds |= kind;
    }
    if (to - from < SHORTEST_WORD) continue;
    const isHex = (kinds & NOT_HEX) === 0 && to - from >= SHORTEST_HEX && (to - from) % 2 === 0;
    if (!isHex && (kinds & MIXED) !== MIXED) continue;
    const inflate = inflateOf(decoded(bytes, { from, to: Math.min(to, from + LOOKED_AT), isHex }));
    if (inflate === undefined) continue;
    const end = endOfLines(bytes, from, to);
    const plain = unpack(decoded(bytes, { from, to: end, isHex }), inflate);
    if (plain) layers.push(placed(plain, { start: starts[from] ?? 0, end: ends[end - 1] ?? 0 }));
  }
  return layers;
}

function decoded(bytes: Buffer, { from, to, isHex }: { from: number; to: number; isHex: boolean }): Buffer {
  const text = bytes.toString('latin1', from, to);
  return isHex ? Buffer.from(text.replace(/\s/g, ''), 'hex') : Buffer.from(text, 'base64');
}

/** What reads bytes that look compressed. */
function inflateOf(packed: Buffer): typeof inflateSync | undefined {
  if (isZlib(packed)) return inflateSync;
  return beginsDeflated(packed) ? inflateRawSync : undefined;
}

/** Where a word ends of which the next lines may be parts: they are as long as the first, and the last may be shorter. */
function endOfLines(bytes: Buffer, from: number, to: number): number {
  let end = to;
  for (let length = to - from; length === to - from;) {
    const start = end + (bytes[end] === RETURN ? 1 : 0) + 1;
    if (bytes[start - 1] !== NEW_LINE) break;
    let next = start;
    while (next < bytes.length && KINDS[bytes[next] as number] !== 0) next++;
    length = next - start;
    if (length === 0 || length > to - from) break;
    end = next;
  }
  return end;
}

function placed(bytes: Buffer, { start, end }: { readonly start: number; readonly end: number }): Layer {
  const places = new Int32Array(bytes.length);
  return { bytes, starts: places.fill(start), ends: places.slice().fill(end), isInPlace: false };
}

/** Whether bytes begin with the header of zlib (RFC 1950). */
function isZlib(bytes: Buffer): boolean {
  const method = (bytes[0] ?? 0) & 0x0f;
  return method === 8 && (bytes[0] ?? 0) < 0x80 && bytes.readUInt16BE(0) % 31 === 0;
}

/** Whether bytes may be text compressed without a header (RFC 1951): of random bytes, one in a hundred may. */
function beginsDeflated(bytes: Buffer): boolean {
  const kind = bitsAt(bytes, 1, 2);
  if (kind === 0) return bytes.length > 4 && (bytes.readUInt16LE(1) ^ bytes.readUInt16LE(3)) === 0xffff;
  if (kind === 1) return beginsWithText(bytes);
  if (kind === 3 || bitsAt(bytes, 3, 5) > 29 || bitsAt(bytes, 8, 5) > 29) return false;
  // The lengths of codes are those of a whole tree.
  let left = 1;
  for (let count = bitsAt(bytes, 13, 4) + 4, at = 17; count > 0; count--, at += 3) {
    const length = bitsAt(bytes, at, 3);
    if (length > 0) left -= 2 ** -length;
  }
  return left === 0;
}

/**
 * A text begins with characters, as there is nothing yet that it could repeat. They have codes from 0x30 on, the first bit
 * first. Then another code may end the block, or repeat some of the characters before it.
 */
function beginsWithText(bytes: Buffer): boolean {
  for (let before = 0; before < CHECKED_CODES; before++) {
    const at = 3 + 8 * before;
    const code = codeAt(bytes, at, 8);
    if (before >= FIRST_CHARACTERS && isNoCharacter(code)) return code < 2 || repeats(bytes, { at, before });
    if (!isText(code - 0x30)) return false;
  }
  return true;
}

/** The characters of a text that are checked before it is unpacked, and those before which none is repeated. */
const [CHECKED_CODES, FIRST_CHARACTERS] = [12, 4];
/** The distance from which each code for distances counts. */
const DISTANCES = [1, 2, 3, 4, 5, 7, 9];

function isNoCharacter(code: number): boolean {
  return code < 0x30 || (code >= 0xc0 && code < 0xc6);
}

/** Whether a code for a repetition is followed by one for a distance to the characters before it. */
function repeats(bytes: Buffer, { at, before }: { readonly at: number; readonly before: number }): boolean {
  const length = codeAt(bytes, at, 7);
  // A length of 115 and more.
  if (length >= 0x60) return true;
  const furtherBits = length < 9 ? 0 : Math.floor((length - 5) / 4);
  return (DISTANCES[codeAt(bytes, at + 7 + furtherBits, 5)] ?? Number.POSITIVE_INFINITY) <= before;
}

/** A code, whose first bit is the highest. */
function codeAt(bytes: Buffer, at: number, bits: number): number {
  let code = 0;
  for (let bit = 0; bit < bits; bit++) code = (code << 1) | bitsAt(bytes, at + bit, 1);
  return code;
}

/** At most eight bits as a number. */
function bitsAt(bytes: Buffer, at: number, bits: number): number {
  const first = at >>> 3;
  return ((((bytes[first + 1] ?? 0) << 8) | (bytes[first] ?? 0)) >>> (at & 7)) & ((1 << bits) - 1);
}

function isText(byte: number): boolean {
  return byte >= 0x09 && byte < 0x7f;
}

/** As much of some compressed bytes as can be read, since an answer may be cut. Throws a `RangeError` if that is too much. */
function unpack(bytes: Buffer, inflate = bytes[0] === 0x1f ? gunzipSync : inflateSync): Buffer | undefined {
  const options = { maxOutputLength: MOST_BYTES, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    return inflate(bytes, options);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw thrown;
    return undefined;
  }
}
