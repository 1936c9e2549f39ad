import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkWritable } from './check-writable.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'refused-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

test('accepts an existing folder, and a new folder in it without making it', async () => {
  await checkWritable(folder);
  await checkWritable(join(folder, 'a', 'b'), { isMade: true });
  expect(existsSync(join(folder, 'a'))).toBe(false);
});

test.each([
  ['a missing folder', () => join(folder, 'none'), {}, 'there is no such folder'],
  ['a file', () => join(folder, 'file'), {}, 'a part of the path is a file, not a folder'],
  [
    'a folder below a file',
    () => join(folder, 'file', 'a'),
    { isMade: true },
    'a part of the path is a file, not a folder',
  ],
])('%s is refused', async (...[, path, options, reason]) => {
  writeFileSync(join(folder, 'file'), '');
  await expect(checkWritable(path(), options)).rejects.toMatchObject({
    code: 'dataset/unwritable',
    data: { reason },
  });
});
