import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashFile } from './hash-file.ts';

let folder: string;
let path: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hash-file-'));
  path = join(folder, 'file');
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([0, 1, 4095, 4096, 4097, 1_048_576, 1_048_577, 3_000_000])('hashes all %i bytes of a file', async (size) => {
  const bytes = randomBytes(size);
  writeFileSync(path, bytes);
  const hash = await hashFile(createHash('sha256'), path);
  expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
});

test('takes as much memory as a small file has, and at most a megabyte', async () => {
  writeFileSync(path, 'small');
  const original = Object.getOwnPropertyDescriptor(Buffer, 'allocUnsafe') as PropertyDescriptor;
  const allocated: number[] = [];
  const recordSize = (size: number) => (allocated.push(size), Buffer.alloc(size));
  Object.defineProperty(Buffer, 'allocUnsafe', { ...original, value: recordSize });
  try {
    await hashFile(createHash('sha256'), path);
    writeFileSync(path, Buffer.alloc(3_000_000));
    await hashFile(createHash('sha256'), path);
  } finally {
    Object.defineProperty(Buffer, 'allocUnsafe', original);
  }
  expect(allocated).toEqual([4096, 1_048_576]);
});

test('rejects for a missing file and once aborted', async () => {
  await expect(hashFile(createHash('sha256'), join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(hashFile(createHash('sha256'), path, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
});
