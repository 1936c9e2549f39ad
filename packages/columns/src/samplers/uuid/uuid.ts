import { z } from 'zod';
import { type Random, valueType } from '@data-designer/core';
import { defineSampler, samplerFields } from '../../define-sampler.ts';

/** Draws identifiers that are unique within the column. */
export const uuid = defineSampler({
  type: 'uuid',
  schema: z
    .strictObject({
      ...samplerFields('uuid'),
      prefix: z.string().nullable().default(null).describe('Text to put before the identifier.'),
      shortForm: z
        .boolean()
        .default(false)
        .describe('Whether to write 8 hexadecimal digits instead of 32. They are unique in the first 2^32 rows.'),
      uppercase: z
        .boolean()
        .default(false)
        .describe('Whether to write the digits in upper case. The prefix does not change.'),
    })
    .describe('Draws a version 4 UUID as 32 hexadecimal digits, with a prefix if given.'),
  value: valueType<string>(),
  statistics: 'text',
  example: { prefix: 'order-' },
  arrow: () => 'utf8',
  converts: 'nothing',
  draw: ({ prefix, shortForm, uppercase }) => {
    const start = Buffer.from(prefix ?? '');
    const text = Buffer.concat([start, Buffer.alloc(shortForm ? 8 : 32)]);
    const writer: HexWriter = { text, digits: Buffer.from(uppercase ? '0123456789ABCDEF' : '0123456789abcdef') };
    const write = shortForm ? writeShort : writeLong;
    return (random) => {
      write(random, start.length, writer);
      return text.toString();
    };
  },
});

/** A reused buffer, so that a draw allocates only its result. */
interface HexWriter {
  readonly text: Uint8Array;
  readonly digits: Uint8Array;
}

/** A version 4 UUID with 122 random bits (RFC 9562, section 5.4). */
function writeLong(random: Random, from: number, writer: HexWriter): void {
  writeHex(random.bits(), from, writer);
  writeHex((random.bits() & 0xffff0fff) | 0x4000, from + 8, writer);
  writeHex((random.bits() & 0x3fffffff) | 0x80000000, from + 16, writer);
  writeHex(random.bits(), from + 24, writer);
}

/** 32 random bits would repeat within some ten thousand rows; these are distinct among the first 2^32. */
function writeShort(random: Random, from: number, writer: HexWriter): void {
  writeHex(random.distinctBits(), from, writer);
}

/** Writes 32 bits as 8 digits. */
function writeHex(word: number, from: number, { text, digits }: HexWriter): void {
  for (let at = 0; at < 8; at++) text[from + at] = digits[(word >>> (28 - 4 * at)) & 15] ?? 0;
}
