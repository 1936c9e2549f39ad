import { crc32, deflateSync } from 'node:zlib';
import type { Draws } from '../draws.ts';

const SIDE = 8;
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** A PNG of 8 x 8 drawn colours, in Base64; the same draws give the same picture. */
export function drawPicture(draws: Draws, number = 0): string {
  const random = draws.of('picture', number * SIDE * SIDE * 3);
  const lines = Array.from({ length: SIDE }, () => [0, ...Array.from({ length: SIDE * 3 }, () => random.below(256))]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  // Eight bits a channel, red green blue, and the only ways there are to compress, filter and not interlace.
  header.set([8, 2, 0, 0, 0], 8);
  const body = deflateSync(Buffer.from(lines.flat()));
  const png = [SIGNATURE, chunk('IHDR', header), chunk('IDAT', body), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat(png).toString('base64');
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
