import { constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Layer } from './layer.ts';

/** Base64 and hexadecimal text that begins as gzip and zlib do; line breaks may stand within it. */
const BASE64 = String.raw`[\w+/\s-]`;
const HEX = String.raw`(?:[\da-fA-F]\s?)`;
const PACKED = new RegExp(
  String.raw`(H4sI${BASE64}{16,}|(?<![\w+/-])e(?:A[E-H]|F[4-7]|[JN][\w+/-])${BASE64}{12,})|(1[fF]\s?8[bB]\s?08${HEX}{20,}|(?<![\da-fA-F])78\s?(?:01|5[eE]|9[cC]|[dD][aA])${HEX}{16,})`,
  'g',
);
/** Shorter words in base64 hold no compressed secret. */
const SHORTEST_WORD = 20;
const IS_BASE64 = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[\w+/-]/.test(String.fromCharCode(byte))));
const HEX_WORD = /^(?:[\da-f]{2}){16,}$/i;
const MIXED_WORD = /[A-Z].*[a-z]|[a-z].*[A-Z]/;
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

function unpackedFrom({ 0: found, 1: base64, index }: RegExpExecArray, { starts, ends }: Layer): Layer[] {
  // After a space, the text may go on, or words follow.
  return [found.replace(/\s.*$/s, ''), found].flatMap((part) => {
    const plain = unpack(Buffer.from(part.replace(/\s/g, ''), base64 ? 'base64' : 'hex'));
    return plain ? [placed(plain, { start: starts[index] ?? 0, end: ends[index + part.length - 1] ?? 0 })] : [];
  });
}

/** Only of a text as it is written: of text that was decoded to other text, each word would take as long again. */
function inflatedWords({ bytes, starts, ends, isInPlace }: Layer): Layer[] {
  if (!isInPlace) return [];
  const layers: Layer[] = [];
  for (let from = 0, to = 0; from < bytes.length; from = to + 1) {
    for (to = from; to < bytes.length && IS_BASE64[bytes[to] as number] === 1; to++);
    const plain = to - from < SHORTEST_WORD ? undefined : inflatedWord(bytes.toString('latin1', from, to));
    if (plain) layers.push(placed(plain, { start: starts[from] ?? 0, end: ends[to - 1] ?? 0 }));
  }
  return layers;
}

function inflatedWord(word: string): Buffer | undefined {
  const isHex = HEX_WORD.test(word);
  if (!isHex && !MIXED_WORD.test(word)) return undefined;
  const packed = Buffer.from(word, isHex ? 'hex' : 'base64');
  if (isZlib(packed)) return unpack(packed, inflateSync);
  return beginsDeflated(packed) ? unpack(packed, inflateRawSync) : undefined;
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

/** A text begins with characters, as there is nothing yet that it could repeat. They have codes from 0x30 on, the first bit first. */
function beginsWithText(bytes: Buffer): boolean {
  for (let at = 3; at < 35; at += 8) {
    let code = 0;
    for (let bit = 0; bit < 8; bit++) code = (code << 1) | bitsAt(bytes, at + bit, 1);
    if (!isText(code - 0x30)) return false;
  }
  return true;
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
