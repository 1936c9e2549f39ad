import { mkdir, mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { field } from '@data-designer/core';
import { datasetRowsAt } from './rows-at.ts';
import { ChecksumLog } from '../logs/checksums.ts';
import { sumFile } from '../files/file-sum.ts';
import { datasetPaths } from '../dataset-paths.ts';
import { batchPath, writeDataFile } from '../../test/data-files.ts';

const BATCH = { fields: [field('n', 'int64')], columns: new Map([['n', [1, 2]]]), rows: 2 };

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'rows-at-'))));
afterEach(() => rm(folder, { recursive: true }));

test('a file is compared with its checksum once, and again when it has changed', async () => {
  const paths = datasetPaths(folder);
  const log = new ChecksumLog(paths);
  const path = batchPath(paths, 0);
  await mkdir(paths.parquetFiles);
  await writeDataFile(path, BATCH);
  const { bytes, outside } = await sumFile(path);
  await log.add([{ path, sum: { bytes, rows: 2, crc32: outside } }]);
  expect(await datasetRowsAt(folder, 1)).toMatchObject({ first: 0, rows: [{ n: 1 }, { n: 2 }] });
  await rm(paths.checksums);
  await log.add([{ path, sum: { bytes, rows: 2, crc32: outside ^ 1 } }]);
  expect(await datasetRowsAt(folder, 0)).toMatchObject({ first: 0 });
  await utimes(path, 1, 1);
  await expect(datasetRowsAt(folder, 0)).rejects.toMatchObject({ code: 'dataset/damaged' });
});
