import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parquetBytes } from './parquet-footer.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'footer-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test.each([12, 5000, 256 * 1024 - 1, 256 * 1024, 600_000])('any part of a file of %i bytes is read', async (size) => {
  const path = join(folder, 'bytes');
  const content = Buffer.from(Array.from({ length: size }, (_, at) => at % 251));
  writeFileSync(path, content);
  const file = await parquetBytes(path);
  expect(file.byteLength).toBe(statSync(path).size);
  for (const [from, to] of [
    [0, 4],
    [size - 8, size],
    [3, undefined],
  ] as const) {
    const part = Buffer.from(await file.slice(from, to));
    expect(part.equals(content.subarray(from, to))).toBe(true);
  }
});
