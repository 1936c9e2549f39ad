import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openUnpacker } from './unpack-body.ts';

const TEXT = Buffer.from('{"choices":[]}');

/** Unpacks bytes that arrive in small pieces. */
function unpack(bytes: Buffer, encoding: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const onEnd = () => resolve(Buffer.concat(pieces));
    const unpacker = openUnpacker(encoding, { onData: (piece) => pieces.push(piece), onEnd, onError: reject });
    if (!unpacker) return resolve(bytes);
    for (let at = 0; at < bytes.length; at += 7) unpacker.write(bytes.subarray(at, at + 7));
    unpacker.end();
  });
}

test.each([
  ['gzip', gzipSync(TEXT)],
  ['GZIP', gzipSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['deflate', deflateRawSync(TEXT)],
  ['zstd', zstdCompressSync(TEXT)],
  ['identity', TEXT],
  ['utf-8', TEXT],
  ['UTF8, none', TEXT],
  ['br, gzip', gzipSync(brotliCompressSync(TEXT))],
])('a body with encoding %s is unpacked', async (encoding, bytes) => {
  expect((await unpack(bytes, encoding)).equals(TEXT)).toBe(true);
});

test('an error for a body that cannot be unpacked names its encoding', async () => {
  await expect(unpack(TEXT, 'gzip')).rejects.toThrow(/cannot be decoded as 'gzip'/);
  await expect(unpack(TEXT, 'pack200')).rejects.toThrow(/unsupported content encoding 'pack200'/);
});

test('a destroyed unpacker calls no listener', async () => {
  let told = 0;
  const unpacker = openUnpacker('gzip', { onData: () => told++, onEnd: () => told++, onError: () => told++ });
  const end = new Promise((resolve) => {
    openUnpacker('gzip', { onData: () => {}, onEnd: () => resolve(told), onError: () => {} })?.end();
  });
  unpacker?.write(gzipSync(TEXT));
  unpacker?.destroy();
  unpacker?.end();
  expect(await end).toBe(0);
});

test('an empty body stays empty', async () => {
  expect(await unpack(Buffer.alloc(0), 'gzip')).toHaveLength(0);
});
