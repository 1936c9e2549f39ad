import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { datasetPaths } from '@data-designer/dataset';
import { testFolder } from '@data-designer/testing/test-folder';
import { candidatePaths, removeCandidates } from './clean-candidates.ts';

const root = testFolder('clean-candidates');

test('candidates are counted before they are deleted, and a dataset without them has none to delete', async () => {
  const paths = datasetPaths(mkdtempSync(join(root, 'data-')));
  expect(await removeCandidates(paths)).toEqual({ files: 0, bytes: 0 });
  const { folder, parquetFiles } = candidatePaths(paths.folder);
  mkdirSync(parquetFiles, { recursive: true });
  writeFileSync(join(folder, 'metadata.json'), '{}');
  writeFileSync(join(parquetFiles, 'batch_00000.parquet'), '12345');
  expect(await removeCandidates(paths, { dryRun: true })).toEqual({ files: 2, bytes: 7 });
  expect(existsSync(folder)).toBe(true);
  expect(await removeCandidates(paths)).toEqual({ files: 2, bytes: 7 });
  expect([existsSync(folder), existsSync(dirname(folder))]).toEqual([false, true]);
});
