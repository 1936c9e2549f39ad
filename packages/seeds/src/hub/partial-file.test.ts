import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isFailure } from '@data-designer/core';
import { type Checksum, PartialFile } from './partial-file.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'partial-'));
});

afterEach(() => rmSync(root, { recursive: true }));

const paths = () => ({ folder: join(root, 'partial'), path: join(root, 'whole', 'a.csv') });

/** Checksums of `hello\n` from `sha256sum` and `git hash-object`. */
const SHA_256: Checksum = { kind: 'sha256', hex: '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03' };
const GIT: Checksum = { kind: 'git', bytes: 6, hex: 'ce013625030ba8dba906f756967f9e9ca394464a' };

test.each([SHA_256, GIT, undefined])(
  'appends bytes, verifies their checksum, and moves the file to its path',
  async (checksum) => {
    await using file = new PartialFile(paths(), checksum);
    await file.restart();
    for (const text of ['he', '', 'llo\n']) await file.append(Buffer.from(text));
    expect([file.bytes, file.isIntact()]).toEqual([6, true]);
    await file.keep();
    expect(readFileSync(paths().path, 'utf8')).toBe('hello\n');
    expect(statSync(paths().path).mode & 0o777).toBe(0o600);
    expect(readdirSync(paths().folder)).toEqual([]);
  },
);

test('detects a wrong checksum, and discards the bytes on a restart', async () => {
  await using file = new PartialFile(paths(), SHA_256);
  await file.restart();
  await file.append(Buffer.from('hello!!'));
  expect(file.isIntact()).toBe(false);
  await file.restart();
  await file.append(Buffer.from('hello\n'));
  expect([file.bytes, file.isIntact()]).toEqual([6, true]);
  await file.keep();
  expect(readFileSync(paths().path, 'utf8')).toBe('hello\n');
});

test('disposing removes an incomplete file', async () => {
  {
    await using file = new PartialFile(paths(), undefined);
    await file.restart();
    await file.append(Buffer.from('half'));
    expect(readdirSync(paths().folder)).toHaveLength(1);
  }
  expect(readdirSync(root)).toEqual(['partial']);
  expect(readdirSync(paths().folder)).toEqual([]);
});

test('a disk error names the final path of the file', async () => {
  writeFileSync(join(root, 'partial'), 'in the way');
  await using file = new PartialFile(paths(), undefined);
  const thrown: unknown = await file.restart().catch((failure: unknown) => failure);
  expect(isFailure(thrown, 'dataset/unwritable') && thrown.data.path).toBe(paths().path);
});
