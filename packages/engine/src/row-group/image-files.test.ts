import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isFailure, Random } from '@data-designer/core';
import { writeImage } from './image-files.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgAAACAAAB4iG8MwAAAABJRU5ErkJggg==';
const picture = { mediaType: 'image/png', base64: PNG };
const randomAt = (call: number) => Random.of(7, 'art').at(3, 0, call);
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'media-'));
});

afterEach(() => rm(folder, { recursive: true }));

test('an image is written to the folder of its column, private to the user, under a name drawn from its position', async () => {
  const { path } = await writeImage(picture, { folder, column: 'art', random: randomAt(1) });
  expect(path).toMatch(/^images\/art\/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\.png$/);
  expect(await readFile(join(folder, path), 'base64')).toBe(PNG);
  expect((await stat(join(folder, path))).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'images'))).mode & 0o777).toBe(0o700);
});

test('a replay writes the same file again, another call another file', async () => {
  const keep = async (call: number) =>
    (await writeImage(picture, { folder, column: 'art', random: randomAt(call) })).path;
  const first = await keep(1);
  expect(await keep(1)).toBe(first);
  expect(await keep(2)).not.toBe(first);
  expect(await readdir(join(folder, 'images', 'art'))).toHaveLength(2);
});

test.each([
  ['../../escape', '____escape'],
  ['a/b\\c', 'a_b_c'],
  ['..', '_'],
  ['.', '_'],
  ['x\u0000y', 'x_y'],
  ['x'.repeat(500), 'x'.repeat(80)],
])('the column %j keeps its images within the dataset', async (column, name) => {
  const { path } = await writeImage(picture, { folder, column, random: randomAt(1) });
  const [top, own] = path.split('/');
  expect(top).toBe('images');
  expect(own).toBe(name);
  expect(await readFile(join(folder, path), 'base64')).toBe(PNG);
});

test.each([
  ['image/jpeg', 'jpg'],
  ['image/webp', 'webp'],
  ['image/svg+xml', 'svg'],
  ['image/../../x', 'bin'],
])('an image of type %s gets the extension .%s', async (mediaType, ending) => {
  const { path } = await writeImage({ ...picture, mediaType }, { folder, column: 'art', random: randomAt(1) });
  expect(path.endsWith(`.${ending}`)).toBe(true);
});

test('a folder that cannot be created is a dataset/unwritable error', async () => {
  await writeFile(join(folder, 'images'), 'in the way');
  const failure = await writeImage(picture, { folder, column: 'art', random: randomAt(1) }).catch((thrown) => thrown);
  expect(isFailure(failure, 'dataset/unwritable')).toBe(true);
});

test('a folder that was removed during the run is not made again', async () => {
  const gone = join(folder, 'gone');
  await expect(writeImage(picture, { folder: gone, column: 'art', random: randomAt(1) })).rejects.toMatchObject({
    code: 'dataset/unwritable',
  });
  expect(existsSync(gone)).toBe(false);
});
