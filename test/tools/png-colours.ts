import { inflateSync } from 'node:zlib';

/** How often each colour (RGB as hex) is in a PNG of 8 bits a channel that is not interlaced, as browsers make them. */
export function pngColours(png: Uint8Array): ReadonlyMap<string, number> {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  const width = bytes.readUInt32BE(16);
  const channels = bytes[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < bytes.length; at += bytes.readUInt32BE(at) + 12) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  }
  const rows = unfiltered(inflateSync(Buffer.concat(parts)), width * channels, channels);
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (let at = 0; at < row.length; at += channels) {
      const colour = row.toString('hex', at, at + 3);
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
  }
  return counts;
}

/** The lines of a picture with the differences of the PNG's filters added up again (PNG specification, section 9). */
function* unfiltered(data: Buffer, lineBytes: number, channels: number): Generator<Buffer> {
  let above = Buffer.alloc(lineBytes);
  for (let start = 0; start < data.length; start += lineBytes + 1) {
    const filter = data[start];
    const line = Buffer.from(data.subarray(start + 1, start + 1 + lineBytes));
    for (let at = 0; at < lineBytes; at++) {
      const left = at >= channels ? (line[at - channels] as number) : 0;
      const up = above[at] as number;
      const corner = at >= channels ? (above[at - channels] as number) : 0;
      const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, corner)];
      line[at] = (line[at] as number) + (guesses[filter ?? 0] ?? 0);
    }
    yield line;
    above = line;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)] as const;
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}
