import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { unpackBody } from './unpack-body.ts';

const TEXT = Buffer.from('{"choices":[]}');
const unpack = (bytes: Buffer, encoding: string, maxBytes = 1000) => unpackBody(bytes, { encoding, maxBytes });

test.each([
  ['gzip', gzipSync(TEXT)],
  ['GZIP', gzipSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['deflate', deflateRawSync(TEXT)],
  ['identity', TEXT],
  ['br, gzip', gzipSync(brotliCompressSync(TEXT))],
])('%s is unpacked', async (encoding, bytes) => {
  expect((await unpack(bytes, encoding)).equals(TEXT)).toBe(true);
});

test('what cannot be unpacked is said with its encoding', async () => {
  await expect(unpack(TEXT, 'gzip')).rejects.toThrow(/cannot be unpacked \(content-encoding: gzip\)/);
  await expect(unpack(TEXT, 'pack200')).rejects.toThrow(/not known here \(content-encoding: pack200\)/);
});

test('a body that unpacks to more than is allowed is not unpacked', async () => {
  await expect(unpack(gzipSync(Buffer.alloc(5000)), 'gzip')).rejects.toThrow(/cannot be unpacked/);
});

test('nothing, as of an answer without a body, stays nothing', async () => {
  expect(await unpack(Buffer.alloc(0), 'gzip')).toHaveLength(0);
});
