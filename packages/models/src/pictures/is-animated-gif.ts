const [EXTENSION, IMAGE, HEADER_LENGTH, DESCRIPTOR_LENGTH] = [0x21, 0x2c, 13, 10];

/** Whether a GIF in Base64 has more than one image (source: the blocks of GIF89a). */
export function isAnimatedGif(base64: string): boolean {
  const bytes = Buffer.from(base64, 'base64');
  let at = HEADER_LENGTH + colorBytes(bytes[10]);
  for (let images = 0; at < bytes.length;) {
    const kind = bytes[at];
    if (kind === IMAGE) {
      if (++images > 1) return true;
      // After the descriptor and its colors, one byte precedes the data.
      at += DESCRIPTOR_LENGTH + colorBytes(bytes[at + DESCRIPTOR_LENGTH - 1]) + 1;
    } else if (kind === EXTENSION) at += 2;
    else return false;
    at = endOfBlocks(bytes, at);
  }
  return false;
}

/** The length of a table of colors, by the flags that announce it. */
function colorBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** The position after blocks that each begin with their length; the last one is empty. */
function endOfBlocks(bytes: Buffer, start: number): number {
  let at = start;
  for (let length = bytes[at]; length !== undefined && length > 0; length = bytes[at]) at += length + 1;
  return at + 1;
}
