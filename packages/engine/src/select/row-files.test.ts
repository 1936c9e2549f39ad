import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import zlib from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { field } from '@data-designer/core';
import { ChecksumLog, type DatasetPaths, datasetPaths, readDataset, refusedFolders } from '@data-designer/dataset';
import { testFolder } from '@data-designer/testing/test-folder';
import { RowFiles } from './row-files.ts';

const root = testFolder('row-files');
const IMAGE = 'images/pic/00000000-0000-0000-0000-000000000001.png';
const BYTES = Buffer.from('a picture');
const SUM = { path: IMAGE, bytes: BYTES.length, crc32: zlib.crc32(BYTES) };
const FIELDS = [field('n', 'int64'), field('pic', 'utf8')];

let from: DatasetPaths;
let to: DatasetPaths;
let files: RowFiles;

beforeEach(() => {
  from = datasetPaths(mkdtempSync(join(root, 'from-')));
  to = datasetPaths(mkdtempSync(join(root, 'to-')));
  mkdirSync(join(from.folder, 'images/pic'), { recursive: true });
  writeFileSync(join(from.folder, IMAGE), BYTES);
  files = new RowFiles(to, { plan: { fields: FIELDS }, format: 'parquet', imagesFrom: from.folder });
});

const ROW = { n: 1, pic: IMAGE };
const imagesOf = async () => (await new ChecksumLog(to).read()).images;

test('the rows of a group are written with the checksums of their images, which are linked', async () => {
  await files.writeRows(3, [ROW, { n: 2, pic: null }]);
  expect((await Array.fromAsync(readDataset(to.folder))).map(({ n }) => Number(n))).toEqual([1, 2]);
  expect(readFileSync(join(to.folder, IMAGE))).toEqual(BYTES);
  expect(await imagesOf()).toEqual(new Map([[3, [SUM]]]));
  await files.writeRows(4, [{ n: 5, pic: null }]);
  expect([...(await imagesOf()).keys()]).toEqual([3]);
});

test('an image that differs from its checksum is damaged, until it is made again', async () => {
  const log = new ChecksumLog(from);
  await log.add([], [{ group: 0, images: [{ ...SUM, crc32: 1 }] }]);
  await expect(files.writeRows(0, [ROW])).rejects.toMatchObject({ code: 'dataset/damaged' });
  await log.add([], [{ group: 0, images: [SUM] }]);
  await files.writeRows(0, [ROW]);
  expect(await imagesOf()).toEqual(new Map([[0, [SUM]]]));
});

test('refused rows are written with their reasons, and their file goes once there are none', async () => {
  const path = join(refusedFolders(to).parquetFiles, 'batch_00000.parquet');
  await files.writeRefused(0, [{ row: ROW, reason: 'a duplicate' }]);
  const checksums = async () => new ChecksumLog(to).read();
  expect([existsSync(path), (await checksums()).isKnown(path), (await imagesOf()).size]).toEqual([true, true, 0]);
  expect([...(await checksums()).fileImages.values()]).toEqual([[SUM]]);
  await files.writeRefused(0, []);
  expect([existsSync(path), (await checksums()).isKnown(path)]).toEqual([false, false]);
  await files.writeRefused(1, []);
});
