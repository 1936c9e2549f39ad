import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { datasetPaths } from '../dataset-paths.ts';
import { ChecksumLog } from './checksums.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'checksums-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the images of row groups that are lost are forgotten, and those of all groups stay where none is named', async () => {
  const log = new ChecksumLog(datasetPaths(folder));
  const images = [{ path: 'images/one.png', bytes: 1, crc32: 1 }];
  await log.add(
    [],
    [0, 1, 2].map((group) => ({ group, images })),
  );
  const kept = async () => [...(await log.read()).images.keys()];
  await log.keepOnly(new Map());
  expect(await kept()).toEqual([0, 1, 2]);
  await log.keepOnly(new Map(), new Set([0, 2]));
  expect(await kept()).toEqual([0, 2]);
});
