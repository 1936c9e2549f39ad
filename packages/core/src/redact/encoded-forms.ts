const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const DIGITS = '0123456789';
/** Base64, whose letters a filter compares in any case, and the alphabet of uuencode. */
const STANDARD = `${UPPER}${LOWER}${DIGITS}+/`;
const SIX_BITS = [STANDARD, String.fromCharCode(0x60, ...Array.from({ length: 63 }, (_, index) => 0x21 + index))];
/** The alphabets of Ascii85, Z85 and RFC 1924. */
const BASE_85 = [
  String.fromCharCode(...Array.from({ length: 85 }, (_, index) => 0x21 + index)),
  `${DIGITS}${LOWER}${UPPER}.-:+=^!/*?&<>()[]{}@%$#`,
  `${DIGITS}${UPPER}${LOWER}!#$%&()*+-;<=>?@^_\`{|}~`,
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
  // Base64 within base64, in any case.
  const nested = [0, 1, 2].flatMap((inner) => {
    const base64 = Buffer.from(inSixBits(secret, STANDARD, inner));
    return [0, 1, 2].map((before) => inSixBits(base64, STANDARD, before));
  });
  const pairs = [0, 1].map((skipped) => inBase45(secret.subarray(skipped)));
  const numbers = DIGITS_OF_NUMBERS.map((digits) => asNumber(secret, digits));
  // Base64 after rot13, and base32 in the alphabet of Crockford.
  const turned = sixes.map((text) => rotated(Buffer.from(text, 'latin1'), 13).toString('latin1'));
  const thirties = [0, 1, 2, 3, 4].map((before) => inFiveBits(secret, before));
  const codes = [...secret];
  const rows = [codes.join(''), codes.map((code) => String(code).padStart(3, '0')).join('')];
  const texts = [
    ...sixes,
    ...turned,
    ...thirties,
    ...rows,
    ...nested,
    ...fives,
    ...pairs,
    ...numbers,
    ...replacedIn(secret.toString('latin1')),
  ];
  return [...moved, ...texts.map((text) => Buffer.from(text, 'latin1'))];
}

/** The secret as one number, in the digits of base 10, 36, 58 and 62. */
const DIGITS_OF_NUMBERS = [
  DIGITS,
  `${DIGITS}${LOWER}`,
  `${DIGITS}${UPPER}${LOWER}`.replace(/[0IOl]/g, ''),
  `${DIGITS}${UPPER}${LOWER}`,
  `${DIGITS}${LOWER}${UPPER}`,
];

function asNumber(secret: Buffer, digits: string): string {
  const base = BigInt(digits.length);
  let text = '';
  for (let left = BigInt(`0x${secret.toString('hex')}`); left > 0n; left /= base)
    text = `${digits[Number(left % base)] ?? ''}${text}`;
  return text;
}

const BASE_45 = `${DIGITS}${UPPER} $%*+-./:`;

function inBase45(secret: Buffer): string {
  let text = '';
  for (let at = 0; at + 2 <= secret.length; at += 2) {
    let pair = secret.readUInt16BE(at);
    for (let digit = 0; digit < 3; digit++, pair = Math.floor(pair / 45)) text += BASE_45[pair % 45] ?? '';
  }
  return text;
}

/** The characters replaced one by one or moved: rot47, atbash, rot5, rot18, the neighbours in ASCII, swapped pairs, and two rows. */
function replacedIn(secret: string): string[] {
  const coded = (change: (code: number) => number) =>
    secret.replace(/[!-~]/g, (character) => String.fromCharCode(change(character.charCodeAt(0))));
  const mirrored = secret.replace(/[a-z]/gi, (letter) =>
    String.fromCharCode((letter < 'a' ? 0x9b : 0xdb) - letter.charCodeAt(0)),
  );
  const [even, odd] = [0, 1].map((rest) =>
    Array.from(secret)
      .filter((_, index) => index % 2 === rest)
      .join(''),
  );
  return [
    coded((code) => 0x21 + ((code - 0x21 + 47) % 94)),
    coded((code) => code + 1),
    coded((code) => code - 1),
    mirrored,
    otherDigits(secret),
    otherDigits(rotated(Buffer.from(secret, 'latin1'), 13).toString('latin1')),
    secret.replace(/(.)(.)/gs, '$2$1'),
    secret.slice(0, 1) + secret.slice(1).replace(/(.)(.)/gs, '$2$1'),
    `${even}${odd}`,
    `${odd}${even}`,
  ];
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
  return Array.from(known, (character) => alphabet[STANDARD.indexOf(character)] ?? '').join('');
}

const CROCKFORD = `${DIGITS}ABCDEFGHJKMNPQRSTVWXYZ`;

function inFiveBits(secret: Buffer, before: number): string {
  const bits = [...Buffer.alloc(before), ...secret].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{5}/g) ?? [];
  return groups
    .slice(Math.ceil((8 * before) / 5))
    .map((group) => CROCKFORD[Number.parseInt(group, 2)] ?? '')
    .join('');
}

function inBase85(secret: Buffer, alphabet: string): string {
  let text = '';
  for (let at = 0; at + 4 <= secret.length; at += 4) {
    const group = secret.readUInt32BE(at);
    for (let power = 85 ** 4; power >= 1; power /= 85) text += alphabet[Math.floor(group / power) % 85] ?? '';
  }
  return text;
}

/** Every digit moved on by five. */
function otherDigits(text: string): string {
  return text.replace(/\d/g, (digit) => String((Number(digit) + 5) % 10));
}
