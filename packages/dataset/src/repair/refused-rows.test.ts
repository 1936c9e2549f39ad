import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { field, type Row } from '@data-designer/core';
import { datasetPaths } from '../dataset-paths.ts';
import { batchOf } from '../encode/row-chunks.ts';
import { ChecksumLog } from '../logs/checksums.ts';
import { stageBatch } from '../write.ts';
import { refuseLostFiles } from './lost-files.ts';
import { lostRefused } from './refused-rows.ts';

const FIELDS = [field('picture', 'utf8')];
const IMAGE = 'images/picture/one.png';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'refused-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A dataset with one file of refused rows, which show an image. */
async function refusing() {
  const paths = datasetPaths(folder);
  const file = join(paths.refusedFiles, 'batch_00002.parquet');
  for (const path of [paths.parquetFiles, paths.refusedFiles, join(folder, 'images/picture')])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(folder, IMAGE), 'pixels');
  const rows: Row[] = [{ picture: IMAGE }];
  const staged = await stageBatch(batchOf(rows, FIELDS), { path: file, temporary: file }, { format: 'parquet' });
  const log = new ChecksumLog(paths);
  await log.add([staged], [{ path: file, images: [{ path: IMAGE, bytes: 6, crc32: crc32('pixels') }] }]);
  const lost = async (isSizeOnly: boolean) => lostRefused(paths, await log.read(), { isSizeOnly });
  return { paths, file, log, lost };
}

test('refused rows and their images that are whole are not lost, also after the checksums of other files went', async () => {
  const { log, lost } = await refusing();
  await log.keepOnly(new Map(), new Set());
  expect([await lost(true), await lost(false)]).toEqual([[], []]);
  const kept = await log.read();
  expect([[...kept.files], [...kept.fileImages.keys()]]).toEqual([
    ['rejected/batch_00002.parquet'],
    ['rejected/batch_00002.parquet'],
  ]);
});

test.each([
  ['is deleted', (path: string) => rmSync(path), true],
  ['is cut', (path: string) => truncateSync(path, 5), true],
  ['has other bytes', (path: string) => writeFileSync(path, 'PIXELS'), false],
])('an image of a refused row that %s is lost, and no reason to refuse the dataset', async (_, harm, hasOtherSize) => {
  const { paths, file, lost } = await refusing();
  const image = join(folder, IMAGE);
  harm(image);
  expect(await lost(false)).toEqual([{ path: file, group: 2, lost: image }]);
  expect(await lost(true)).toHaveLength(hasOtherSize ? 1 : 0);
  await expect(refuseLostFiles(paths, [], {})).resolves.toBeUndefined();
});

test('a file of refused rows that is deleted or damaged is lost until it is forgotten', async () => {
  const { file, log, lost } = await refusing();
  const whole = { path: file, group: 2, lost: file };
  truncateSync(file, 10);
  expect([await lost(true), await lost(false)]).toEqual([[whole], [whole]]);
  rmSync(file);
  expect([await lost(true), await lost(false)]).toEqual([[whole], [whole]]);
  await log.forget(file);
  expect(await lost(false)).toEqual([]);
  expect([...(await log.read()).fileImages.keys()]).toEqual([]);
});
