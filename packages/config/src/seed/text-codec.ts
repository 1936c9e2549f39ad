import { DECODABLE, OWN, UNDECODABLE } from './codec-names.ts';

/** Decodes text of one encoding; throws a `TypeError` at bytes that are none. */
export type DecodeText = (bytes: Uint8Array) => string;

const byDecoder = (label: string, { keepsMark }: { keepsMark: boolean }): DecodeText => {
  const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: keepsMark });
  return (bytes) => decoder.decode(bytes);
};

function decodeLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function decodeAscii(bytes: Uint8Array): string {
  const position = bytes.findIndex((byte) => byte > 127);
  if (position >= 0) throw new TypeError(`The byte at position ${position} is no ASCII character.`);
  return decodeLatin1(bytes);
}

/** A mark at the start tells the order of the bytes; without one it is that of this and most machines. */
function decodeUtf16(bytes: Uint8Array): string {
  const bigEndian = bytes[0] === 0xfe && bytes[1] === 0xff;
  return byDecoder(bigEndian ? 'utf-16be' : 'utf-16le', { keepsMark: false })(bytes);
}

const OWN_DECODERS: readonly (readonly [names: string, maker: () => DecodeText])[] = [
  [OWN.ascii, () => decodeAscii],
  [OWN['latin-1'], () => decodeLatin1],
  [OWN['utf-8-mark'], () => byDecoder('utf-8', { keepsMark: false })],
  [OWN['utf-16'], () => decodeUtf16],
];

const words = (names: string): string[] => names.trim().split(/\s+/);

/** By folded name, what makes its decoder. */
const MAKERS = new Map<string, () => DecodeText>([
  ...Object.entries(DECODABLE).flatMap(([label, names]) =>
    words(names).map((name) => [name, () => byDecoder(label, { keepsMark: true })] as const),
  ),
  ...OWN_DECODERS.flatMap(([names, maker]) => words(names).map((name) => [name, maker] as const)),
]);

const WITHOUT_DECODER = new Set(words(UNDECODABLE));

/** Python's folding of encoding names: small letters, with one underscore for each stretch of other signs. */
function folded(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '_')
    .replace(/^_|_$/g, '');
}

/**
 * The decoder of a text encoding by any of the names that Python or the web has for it (`utf-8`, `utf_8`, `latin-1`,
 * `cp1252`); undefined for others. Python's meaning goes first: its latin-1 is not the web's, and a mark at the start
 * of utf-8 text stays.
 */
export function textDecoderOf(name: string): DecodeText | undefined {
  const maker = MAKERS.get(folded(name)) ?? MAKERS.get(folded(name).replaceAll('.', '_'));
  if (maker) return maker();
  if (isUndecodable(name)) return undefined;
  try {
    return byDecoder(name, { keepsMark: true });
  } catch {
    return undefined;
  }
}

/** Whether Python knows an encoding of this name that cannot be decoded here. */
export function isUndecodable(name: string): boolean {
  return WITHOUT_DECODER.has(folded(name)) || WITHOUT_DECODER.has(folded(name).replaceAll('.', '_'));
}
