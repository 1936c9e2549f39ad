import { DECODABLE, OWN, UNDECODABLE } from './codec-names.ts';

/** Decodes text of one encoding, or a part of it that another call continues; throws a `TypeError` for invalid bytes. */
export type DecodeText = (bytes: Uint8Array, part?: { readonly stream: boolean }) => string;

const byDecoder = (label: string, { keepsMark }: { keepsMark: boolean }): DecodeText => {
  const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: keepsMark });
  return (bytes, part) => decoder.decode(bytes, part);
};

function decodeLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function decodeAscii(bytes: Uint8Array): string {
  const position = bytes.findIndex((byte) => byte > 127);
  if (position >= 0) throw new TypeError(`The byte at position ${position} is no ASCII character.`);
  return decodeLatin1(bytes);
}

/** A byte order mark selects the order; little-endian without one. */
function utf16Decoder(): DecodeText {
  let begun: DecodeText | undefined;
  return (bytes, part) => {
    const isBigEndian = bytes[0] === 0xfe && bytes[1] === 0xff;
    const decode = begun ?? byDecoder(isBigEndian ? 'utf-16be' : 'utf-16le', { keepsMark: false });
    begun = part?.stream === true ? decode : undefined;
    return decode(bytes, part);
  };
}

const OWN_DECODERS: readonly (readonly [names: string, maker: () => DecodeText])[] = [
  [OWN.ascii, () => decodeAscii],
  [OWN['latin-1'], () => decodeLatin1],
  [OWN['utf-8-mark'], () => byDecoder('utf-8', { keepsMark: false })],
  [OWN['utf-16'], utf16Decoder],
];

const words = (names: string): string[] => names.trim().split(/\s+/);

/** The makers of decoders, by folded name. */
const MAKERS = new Map<string, () => DecodeText>([
  ...Object.entries(DECODABLE).flatMap(([label, names]) =>
    words(names).map((name) => [name, () => byDecoder(label, { keepsMark: true })] as const),
  ),
  ...OWN_DECODERS.flatMap(([names, maker]) => words(names).map((name) => [name, maker] as const)),
]);

const WITHOUT_DECODER = new Set(words(UNDECODABLE));

/** Folds an encoding name as Python does: lower case, with one underscore for each run of other characters. */
function folded(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '_')
    .replace(/^_|_$/g, '');
}

/**
 * The decoder of a text encoding by its name in Python or on the web (`utf-8`, `utf_8`, `latin-1`, `cp1252`); undefined for
 * other names. Python's meaning takes precedence: its latin-1 differs, and utf-8 keeps a byte order mark.
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

/** Whether only Python can decode an encoding of this name. */
export function isUndecodable(name: string): boolean {
  return WITHOUT_DECODER.has(folded(name)) || WITHOUT_DECODER.has(folded(name).replaceAll('.', '_'));
}

/** Whether a name is one of UTF-8. */
export function isUtf8(name: string): boolean {
  return words(`${DECODABLE['utf-8'] ?? ''} ${OWN['utf-8-mark']}`).includes(folded(name));
}
