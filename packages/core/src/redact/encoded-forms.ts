const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const DIGITS = '0123456789';
/** Base64, whose letters a filter compares in any case, and the alphabet of uuencode. */
const SIX_BITS = [
  `${UPPER}${LOWER}${DIGITS}+/`,
  String.fromCharCode(0x60, ...Array.from({ length: 63 }, (_, index) => 0x21 + index)),
];
/** The alphabets of Ascii85 and Z85. */
const BASE_85 = [
  String.fromCharCode(...Array.from({ length: 85 }, (_, index) => 0x21 + index)),
  `${DIGITS}${LOWER}${UPPER}.-:+=^!/*?&<>()[]{}@%$#`,
];

/**
 * A secret in encodings that no decoder reads, at each position within a group of their characters. They are searched in
 * every layer, so that other encodings may lie around them. Characters that depend on what is beside the secret are left
 * out.
 */
export function encodedForms(secret: Buffer): Buffer[] {
  const moved = Array.from({ length: 25 }, (_, index) => rotated(secret, index + 1));
  const sixes = SIX_BITS.flatMap((alphabet) => [0, 1, 2].map((before) => inSixBits(secret, alphabet, before)));
  const fives = BASE_85.flatMap((alphabet) =>
    [0, 1, 2, 3].map((skipped) => inBase85(secret.subarray(skipped), alphabet)),
  );
  // As one number.
  const radixes = [10, 36].map((radix) => BigInt(`0x${secret.toString('hex')}`).toString(radix));
  return [...moved, ...[...sixes, ...fives, ...radixes].map((text) => Buffer.from(text, 'latin1'))];
}

/** The letters moved on in the alphabet, as by rot13. */
function rotated(secret: Buffer, by: number): Buffer {
  const moved = (letter: string): string => {
    const first = letter < 'a' ? 0x41 : 0x61;
    return String.fromCharCode(first + ((letter.charCodeAt(0) - first + by) % 26));
  };
  return Buffer.from(secret.toString('latin1').replace(/[a-z]/gi, moved), 'latin1');
}

function inSixBits(secret: Buffer, alphabet: string, before: number): string {
  const base64 = Buffer.concat([Buffer.alloc(before), secret]).toString('base64');
  // The character before the padding holds bits of what follows, and one at the start those of what stands before.
  const known = base64.slice(before && before + 1).replace(/.=+$/, '');
  const [standard] = SIX_BITS as [string];
  return Array.from(known, (character) => alphabet[standard.indexOf(character)] ?? '').join('');
}

function inBase85(secret: Buffer, alphabet: string): string {
  let text = '';
  for (let at = 0; at + 4 <= secret.length; at += 4) {
    const group = secret.readUInt32BE(at);
    for (let power = 85 ** 4; power >= 1; power /= 85) text += alphabet[Math.floor(group / power) % 85] ?? '';
  }
  return text;
}
