import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readMedia } from './read-media.ts';

let folder: string;
let outside: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'media-'));
  outside = await mkdtemp(join(tmpdir(), 'media-outside-'));
  await writeFile(join(folder, 'own.png'), 'own');
  await writeFile(join(outside, 'secret.png'), 'secret');
});

afterEach(async () => {
  await rm(folder, { recursive: true });
  await rm(outside, { recursive: true });
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

test('a file is read by its path relative to a folder or by its absolute path', async () => {
  expect(await readMedia('own.png', [folder])).toBe(base64('own'));
  expect(await readMedia('./x/../own.png', [folder])).toBe(base64('own'));
  expect(await readMedia(join(folder, 'own.png'), [folder])).toBe(base64('own'));
  expect(await readMedia('own.png', [])).toBeUndefined();
});

test('the first folder that has the file wins, and a link may lead to another of the folders', async () => {
  await symlink(join(outside, 'secret.png'), join(folder, 'link.png'));
  expect(await readMedia('secret.png', [folder, outside])).toBe(base64('secret'));
  expect(await readMedia(join(outside, 'secret.png'), [folder, outside])).toBe(base64('secret'));
  expect(await readMedia('link.png', [folder, outside])).toBe(base64('secret'));
  expect(await readMedia('own.png', [join(folder, 'not-there'), folder])).toBe(base64('own'));
});

test('a folder whose name starts with that of an allowed folder is not allowed', async () => {
  await mkdir(`${folder}-more`);
  await writeFile(join(`${folder}-more`, 'a.png'), 'a');
  expect(await readMedia(join(`${folder}-more`, 'a.png'), [folder])).toBeUndefined();
  await rm(`${folder}-more`, { recursive: true });
});

test('only files within the folders are read', async () => {
  await symlink(join(outside, 'secret.png'), join(folder, 'link.png'));
  await symlink(outside, join(folder, 'linked'));
  await symlink('link-to-itself.png', join(folder, 'link-to-itself.png'));
  await mkdir(join(folder, 'inner.png'));
  const paths = [
    'missing.png',
    'inner.png',
    'link.png',
    'link-to-itself.png',
    'linked/secret.png',
    join(outside, 'secret.png'),
    `../${basename(outside)}/secret.png`,
    '/etc/passwd',
    'a\u0000b',
    '',
    '.',
  ];
  for (const path of paths) expect([path, await readMedia(path, [folder])]).toEqual([path, undefined]);
});

test('a pipe and a file that is too large are skipped without waiting', async () => {
  execFileSync('mkfifo', [join(folder, 'pipe.png')]);
  await writeFile(join(folder, 'large.png'), 'x');
  await truncate(join(folder, 'large.png'), 2 ** 30);
  expect(await readMedia('pipe.png', [folder])).toBeUndefined();
  expect(await readMedia('large.png', [folder])).toBeUndefined();
});
