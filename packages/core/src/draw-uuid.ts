import type { Random } from './random.ts';

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Draws a UUID of version 4, hyphenated, in lower case (RFC 9562, section 5.4). */
export function drawUuid(random: Random): string {
  const one = random.bits();
  const two = (random.bits() & 0xffff0fff) | 0x4000;
  const three = (random.bits() & 0x3fffffff) | 0x80000000;
  const four = random.bits();
  return `${high(one)}${low(one)}-${high(two)}-${low(two)}-${high(three)}-${low(three)}${high(four)}${low(four)}`;
}

/** The upper 16 of 32 bits. */
function high(word: number): string {
  return low(word >>> 16);
}

/** The lower 16 of 32 bits. */
function low(word: number): string {
  return `${HEX[(word >>> 8) & 0xff]}${HEX[word & 0xff]}`;
}
