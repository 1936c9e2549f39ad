import { constants, gunzipSync, inflateSync } from 'node:zlib';
import type { Layer } from './layer.ts';

/** Base64 and hexadecimal text that begins as gzip and zlib do; line breaks may stand within it. */
const BASE64 = String.raw`[\w+/\s-]`;
const HEX = String.raw`(?:[\da-fA-F]\s?)`;
const PACKED = new RegExp(
  String.raw`(H4sI${BASE64}{16,}|(?<![\w+/-])e(?:A[E-H]|F[4-7]|[JN][\w+/-])${BASE64}{12,})|(1[fF]\s?8[bB]\s?08${HEX}{20,}|(?<![\da-fA-F])78\s?(?:01|5[eE]|9[cC]|[dD][aA])${HEX}{16,})`,
  'g',
);
/** What unpacks to more is not searched. */
const MOST_BYTES = 65_536;
/** A text with more parts that look compressed is not searched. */
const MOST_PARTS = 64;

/**
 * What a layer holds compressed with gzip or zlib, in base64 or hexadecimal numbers; each byte stands for the whole part.
 * Undefined if that is too much to search.
 */
export function inflated(layer: Layer): Layer[] | undefined {
  const matches = [...layer.bytes.toString('latin1').matchAll(PACKED)];
  if (matches.length > MOST_PARTS) return undefined;
  try {
    return matches.flatMap((match) => unpackedFrom(match, layer));
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

function unpackedFrom({ 0: found, 1: base64, index }: RegExpExecArray, { starts, ends }: Layer): Layer[] {
  // After a space, the text may go on, or words follow.
  return [found.replace(/\s.*$/s, ''), found].flatMap((part) => {
    const plain = unpack(Buffer.from(part.replace(/\s/g, ''), base64 ? 'base64' : 'hex'));
    if (!plain) return [];
    const places = new Int32Array(plain.length);
    return [
      {
        bytes: plain,
        starts: places.fill(starts[index] ?? 0),
        ends: places.slice().fill(ends[index + part.length - 1] ?? 0),
        isInPlace: false,
      },
    ];
  });
}

/** As much of some compressed bytes as can be read, since an answer may be cut. Throws a `RangeError` if that is too much. */
function unpack(bytes: Buffer): Buffer | undefined {
  const options = { maxOutputLength: MOST_BYTES, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    return bytes[0] === 0x1f ? gunzipSync(bytes, options) : inflateSync(bytes, options);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw thrown;
    return undefined;
  }
}
